import assert from 'node:assert/strict';

import type { Channel } from '../../src/channels/channel.ts';
import { makePlan } from '../../src/compose/plan.ts';
import type { ConnectionFault, Reply, Request } from '../emulators/server/http.ts';
import { HOSTED, type HostedName, answering, hosted } from '../emulators/server/media.ts';
import { type Case, type Expected, type TestMessage, outgoing } from './suite.ts';

/* Cases for every channel that uploads files. */

type HttpCase = Case<Request, Reply | ConnectionFault>;

/** A test file for each kind of media. */
export const KINDS = {
  Image: 'photo.png',
  Video: 'clip.mp4',
  Audio: 'voice.ogg',
  Document: 'report.pdf',
} as const satisfies Record<string, HostedName>;

export const media = (
  type: keyof typeof KINDS,
  more: Partial<TestMessage['object']> = {},
): Partial<TestMessage> => ({ object: { type, url: hosted(KINDS[type]), ...more } });

/** Asserts that a request contained the bytes of the file, as its body or in a form. */
export function assertUploaded(seen: readonly Request[], name: HostedName): void {
  const { bytes } = HOSTED[name];
  const isUploaded = seen.some(
    (request) =>
      request.bytes.equals(bytes) || request.parts?.some((part) => part.bytes.equals(bytes)),
  );
  assert.ok(isUploaded, `${name} was not uploaded`);
}

/**
 * Failures without a usable response: while a file is uploaded, no message was sent; afterwards it may have been. `what` is the
 * vendor's word for the id of an uploaded file.
 */
export function withoutResponse<Made>(
  fails: (it: string, answers: readonly ConnectionFault[], outcome: Expected) => Made,
  what: string,
): Made[] {
  return [
    fails('nothing was sent when there is no response', ['reset'], {
      outcome: 'transient',
      maybeSent: false,
    }),
    fails(`nothing was sent when the response has no ${what}`, ['empty'], {
      outcome: 'transient',
      maybeSent: false,
      code: '200',
    }),
    fails('the message may have been sent when its request gets no response', ['none', 'reset'], {
      outcome: 'transient',
      maybeSent: true,
    }),
  ];
}

/** A file that cannot be downloaded fails without any request to the vendor. */
export function withoutFile(type: keyof typeof KINDS, maxBytes?: number): HttpCase[] {
  const fails = (it: string, url: string, outcome: Expected): HttpCase => ({
    it: `does not send a file that ${it}`,
    message: media(type, { url }),
    sees: [],
    outcome,
  });
  const lost = { outcome: 'permanent', blame: 'content' } as const;
  return [
    fails('is missing', answering(404), { ...lost, code: '404', detail: 'answered 404' }),
    fails('is redirected', answering(302), {
      ...lost,
      code: '302',
      detail: 'redirects are not followed',
    }),
    fails('is temporarily unavailable', answering(503), {
      outcome: 'transient',
      maybeSent: false,
      blame: 'content',
      code: '503',
      detail: 'the file could not be downloaded',
    }),
    fails('has a private address', 'http://10.0.0.1/x', {
      ...lost,
      detail: 'is blocked',
    }),
    ...(maxBytes === undefined
      ? []
      : [
          fails('is too large', hosted(KINDS[type], maxBytes + 1), {
            ...lost,
            detail: `larger than ${maxBytes} bytes`,
          }),
        ]),
  ];
}

/** Asserts the file shown in a dry run: its address, not its content. */
export function assertShown(channel: Channel, message: Partial<TestMessage>, file: object): void {
  const { activity, recipient } = outgoing({ recipient: channel.recipient.example, ...message });
  const { steps } = makePlan(activity, channel, { recipient, credentials: {} });
  const [step] = steps;
  assert.deepEqual(step && 'request' in step ? step.request.file : undefined, file);
}
