import assert from 'node:assert/strict';

import type { Channel } from '../../src/channels/channel.ts';
import { makePlan } from '../../src/compose/plan.ts';
import type { Accident, Reply, Request } from '../emulators/server/http.ts';
import { HOSTED, type HostedName, answering, hosted } from '../emulators/server/media.ts';
import { type Case, type Expected, type TestMessage, outgoing } from './suite.ts';

/* What holds for each channel that uploads files. */

type HttpCase = Case<Request, Reply | Accident>;

/** A kind of media, and the file that stands for it. */
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

/** That the bytes of this file were in a request, as they are or as the file of a form. */
export function assertUploaded(seen: readonly Request[], name: HostedName): void {
  const { bytes } = HOSTED[name];
  const isThere = seen.some(
    (request) =>
      request.bytes.equals(bytes) || request.parts?.some((part) => part.bytes.equals(bytes)),
  );
  assert.ok(isThere, `${name} was not uploaded`);
}

/**
 * What is known when nothing, or nothing of sense, is heard: while a file is uploaded no message was sent, and
 * only of what follows may nobody know. `what` is what the vendor calls an uploaded file by.
 */
export function unheard<Made>(
  fails: (it: string, answers: readonly Accident[], outcome: Expected) => Made,
  what: string,
): Made[] {
  return [
    fails('knows that nothing was sent when it hears nothing', ['reset'], {
      outcome: 'transient',
      maybeSent: false,
    }),
    fails(`knows that nothing was sent when it hears no ${what}`, ['empty'], {
      outcome: 'transient',
      maybeSent: false,
      code: '200',
    }),
    fails('does not know whether it was sent when nobody says so', ['none', 'reset'], {
      outcome: 'transient',
      maybeSent: true,
    }),
  ];
}

/** How a file that cannot be had ends, and that the vendor hears of nothing then. */
export function unhad(type: keyof typeof KINDS, most?: number): HttpCase[] {
  const fails = (it: string, url: string, outcome: Expected): HttpCase => ({
    it: `does not send a file that ${it}`,
    message: media(type, { url }),
    sees: [],
    outcome,
  });
  const lost = { outcome: 'permanent', blame: 'content' } as const;
  return [
    fails('is not there', answering(404), { ...lost, code: '404', detail: 'answered 404' }),
    fails('is elsewhere', answering(302), {
      ...lost,
      code: '302',
      detail: 'redirects are not followed',
    }),
    fails('is not to be had now', answering(503), {
      outcome: 'transient',
      maybeSent: false,
      blame: 'content',
      code: '503',
      detail: 'the file could not be downloaded',
    }),
    fails('is at an address inside', 'http://10.0.0.1/x', {
      ...lost,
      detail: 'is blocked',
    }),
    ...(most === undefined
      ? []
      : [
          fails('is too large', hosted(KINDS[type], most + 1), {
            ...lost,
            detail: `larger than ${most} bytes`,
          }),
        ]),
  ];
}

/** What a dry run tells of the file: where it is, and nothing of what will be in it. */
export function assertShown(channel: Channel, message: Partial<TestMessage>, file: object): void {
  const { activity, recipient } = outgoing({ recipient: channel.recipient.example, ...message });
  const { steps } = makePlan(activity, channel, { recipient, credentials: {} });
  const [step] = steps;
  assert.deepEqual(step && 'request' in step ? step.request.file : undefined, file);
}
