import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Channel } from '../../src/channels/channel.ts';
import type { InboundEvent, Hook, HookResponse, HookRequest } from '../../src/channels/inbound.ts';
import type { Credentials } from '../../src/model/integration.ts';
import { fc } from '../support/fast-check.ts';
import { openContext } from './suite.ts';

/*
 * Tests a channel's webhook handler with genuine requests in the vendor's documented formats, and with every kind
 * of forgery. Forged requests are derived from the genuine ones.
 */

/** A webhook request without its signature. */
export interface TestCall {
  method?: string;
  /** Appended to the hook's URL. */
  path?: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  /** Objects are sent as JSON. */
  body?: string | Buffer | object;
}

/** A webhook request with all of its parts. */
export interface WebhookRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: Buffer;
}

export interface HookCase {
  /** A sentence after the channel's name: `receives an image with its caption`. */
  it: string;
  call: TestCall;
  /** The exact expected events, including ignored ones. Empty for a handshake and for known facts. */
  inboundEvents: readonly InboundEvent[];
  /** The expected response; an empty 200 if left out. */
  answer?: HookResponse;
  credentials?: Credentials;
  /** Whether this is an unsigned handshake that anybody may request. */
  isOpen?: true;
}

export interface HookSuite {
  credentials: Credentials;
  /** Signs a request as the vendor does with these credentials at that time. */
  prove(
    call: WebhookRequest,
    credentials: Credentials,
    now: number,
  ): WebhookRequest | Promise<WebhookRequest>;
  /** Whether the signature covers the bytes of the body. */
  coversBody: boolean;
  /** Maximum age of a request in seconds; left out where the vendor sends no time. */
  window?: number;
  /** Serves the vendor's public keys, if it has any. Opened for each test. */
  open?(): Promise<{ url: string; close(): Promise<void> }>;
  cases: readonly HookCase[];
}

export const HOOK_URL = 'https://switchboard.example/1/hooks/7/abcdefghijklmnopqrstuv';

export function testHook(channel: Channel, suite: HookSuite): void {
  const { hook } = channel;
  assert.ok(hook, `${channel.name} has no hook`);
  const withRun = <Result>(credentials: Credentials, use: (run: HookRun) => Promise<Result>) =>
    withContext(channel, hook, suite, credentials, use);
  const refuses = async (
    why: string,
    given: readonly HookCase[],
    forge: (each: HookCase, run: HookRun) => Promise<WebhookRequest>,
    known?: Credentials,
  ) => {
    assert.ok(given.length > 0, `no case is ${why}`);
    for (const each of given) {
      const credentials = { ...suite.credentials, ...each.credentials };
      await withRun(known ?? credentials, async (run) => {
        const verdict = await run.verify(await forge(each, run));
        assert.ok(verdict, `${why}: ${each.it} passes verification`);
        for (const secret of secretsOf(channel, credentials)) {
          assert.ok(!verdict.includes(secret), `${why}: the verdict contains a secret`);
        }
      });
    }
  };
  const signedCases = suite.cases.filter(({ isOpen }) => !isOpen);
  const posts = signedCases.filter(({ call }) => (call.method ?? 'POST') !== 'GET');

  describe(`${channel.name} webhook`, () => {
    for (const each of suite.cases) {
      it(`${channel.name}: ${each.it}`, async () => {
        const credentials = { ...suite.credentials, ...each.credentials };
        await withRun(credentials, async ({ prove, verify, call, context }) => {
          const made = await prove(each.call, credentials);
          assert.equal(await verify(made), undefined);
          const inboundEvents = (await hook.parse(call(made), context)) ?? [];
          assert.ok(inboundEvents.length > 0, 'the request is dropped silently');
          assert.deepEqual(
            inboundEvents.filter(({ what }) => what !== 'nothing'),
            each.inboundEvents,
          );
          assert.deepEqual(
            await hook.parse(call(made), context),
            inboundEvents,
            'parsing again gives another result',
          );
          assert.deepEqual(hook.answer?.(call(made), context) ?? {}, each.answer ?? {});
          for (const inboundEvent of inboundEvents)
            checkInboundEvent(channel, credentials, inboundEvent);
        });
      });
    }

    // Where the vendor does not sign, the secret URL is the only protection.
    if (hook.needs.every((set) => set.length > 0)) {
      it(`${channel.name} refuses unsigned requests`, () =>
        refuses('unsigned', signedCases, async ({ call }) => toRequest(call)));

      it(`${channel.name} refuses requests signed with other credentials`, () =>
        refuses('signed with other credentials', signedCases, (each, { prove }) =>
          prove(each.call, othersOf(channel, { ...suite.credentials, ...each.credentials })),
        ));

      it(`${channel.name} refuses every request while it has no secret`, () =>
        refuses(
          'without a secret',
          signedCases,
          (each, { prove }) => prove(each.call, { ...suite.credentials, ...each.credentials }),
          {},
        ));
    }

    if (suite.coversBody) {
      it(`${channel.name} refuses modified and truncated requests`, async () => {
        const forgeries: ((body: Buffer) => Buffer)[] = [
          (body) => body.subarray(0, Math.floor(body.length / 2)),
          (body) => body.subarray(0, -1),
          (body) => Buffer.concat([body, Buffer.from('0')]),
          (body) => Buffer.from(body.map((byte, i) => (i === body.length >> 1 ? byte ^ 1 : byte))),
        ];
        for (const forge of forgeries) {
          await refuses('changed', posts, async (each, { prove }) => {
            const made = await prove(each.call, { ...suite.credentials, ...each.credentials });
            return { ...made, body: forge(made.body) };
          });
        }
      });
    }

    const { window } = suite;
    if (window !== undefined) {
      it(`${channel.name} refuses requests from long ago and from the future`, async () => {
        for (const late of [-(window + 5), window + 65]) {
          await refuses(`${late} s away`, posts, async (each, { prove }) =>
            prove(each.call, { ...suite.credentials, ...each.credentials }, late * 1000),
          );
        }
      });
    }

    it(`${channel.name} webhook never throws on arbitrary request bodies`, async () => {
      await withRun(suite.credentials, async ({ call, context }) => {
        const texts = posts.map(({ call: { body } }) =>
          toRequest({ body: body ?? '' }).body.toString(),
        );
        const like = fc.constantFrom(...texts).chain((text) => damaged(text));
        await fc.assert(
          fc.asyncProperty(fc.oneof(fc.json(), fc.string(), like), async (body) => {
            for (const { call: given } of suite.cases) {
              const made = toRequest({ ...given, body });
              const inboundEvents = await hook.parse(call(made), context);
              hook.answer?.(call(made), context);
              for (const inboundEvent of inboundEvents ?? []) JSON.stringify(inboundEvent);
            }
          }),
          { numRuns: 200 },
        );
      });
    });

    it(`${channel.name} has a case for each receipt state`, () => {
      const reported = suite.cases.flatMap(({ inboundEvents }) =>
        inboundEvents.flatMap((one) =>
          one.what === 'receipt' || one.what === 'receipts' ? one.state : [],
        ),
      );
      const missing = (channel.receipts ?? []).filter((state) => !reported.includes(state));
      assert.deepEqual(missing, []);
    });
  });
}

interface HookRun {
  context: ReturnType<typeof openContext>;
  call(made: WebhookRequest): HookRequest;
  prove(call: TestCall, credentials: Credentials, shift?: number): Promise<WebhookRequest>;
  verify(made: WebhookRequest): Promise<string | undefined>;
}

async function withContext<Result>(
  { name }: Channel,
  hook: Hook,
  suite: HookSuite,
  credentials: Credentials,
  use: (run: HookRun) => Promise<Result>,
): Promise<Result> {
  const peer = await suite.open?.();
  await using context = openContext({ credentials, url: peer?.url ?? `https://${name}.example` });
  try {
    return await use({
      context,
      call: toHookCall,
      prove: async (given, known, shift = 0) =>
        suite.prove(toRequest(given), known, context.clock.now() + shift),
      verify: async (made) => hook.verify(toHookCall(made), context),
    });
  } finally {
    await peer?.close();
  }
}

function toRequest({
  method = 'POST',
  path = '',
  query = {},
  headers = {},
  body = '',
}: TestCall): WebhookRequest {
  const isObject = typeof body === 'object' && !Buffer.isBuffer(body);
  const text = isObject ? JSON.stringify(body) : body;
  const type = isObject ? { 'content-type': 'application/json' } : {};
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  return { method, path, query: { ...query }, headers: { ...type, ...headers }, body: bytes };
}

function toHookCall({ method, path, query, headers, body }: WebhookRequest): HookRequest {
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const parameters = new URLSearchParams(query);
  const search = parameters.size > 0 ? `?${parameters.toString()}` : '';
  return {
    method,
    url: `${HOOK_URL}${path}${search}`,
    path,
    query: parameters,
    header: (name) => lower[name.toLowerCase()],
    body,
  };
}

/** A text with a piece missing or replaced. */
function damaged(text: string): fc.Arbitrary<string> {
  const at = fc.nat({ max: text.length });
  return fc
    .tuple(at, at, fc.constantFrom('', '0', 'null', '{}', '[]', '"', '-1'))
    .map(([from, to, put]) => text.slice(0, from) + put + text.slice(to));
}

function secretsOf(channel: Channel, credentials: Credentials): string[] {
  return channel.credentials
    .filter(({ secret }) => secret)
    .flatMap(({ name }) => credentials[name] ?? []);
}

/** Another customer's credentials. */
function othersOf(channel: Channel, credentials: Credentials): Credentials {
  const needed = channel.hook?.needs.flat() ?? [];
  const others = channel.credentials
    .filter(({ name, secret }) => secret || needed.includes(name))
    .filter(({ name }) => credentials[name] !== undefined)
    .map(({ name }) => [name, otherThan(credentials[name] ?? '')]);
  return { ...credentials, ...Object.fromEntries(others) };
}

/** Of the same length, with the same characters. */
const otherThan = (secret: string) => Array.from(secret).toReversed().join('');

function checkInboundEvent(
  channel: Channel,
  credentials: Credentials,
  inboundEvent: InboundEvent,
): void {
  const text = JSON.stringify(inboundEvent);
  for (const secret of secretsOf(channel, credentials)) {
    assert.ok(!text.includes(secret), 'an inbound event contains a secret');
  }
  if (inboundEvent.what === 'receipt' || inboundEvent.what === 'unreadable') return;
  if (inboundEvent.what === 'nothing' || inboundEvent.what === 'ignored') return;
  const addresses =
    inboundEvent.what === 'receipts'
      ? [inboundEvent.recipient]
      : 'group' in inboundEvent || 'answerTo' in inboundEvent
        ? [
            inboundEvent.answerTo ?? inboundEvent.group?.id ?? inboundEvent.from.id,
            inboundEvent.group?.id,
          ]
        : [inboundEvent.from.id, ...(inboundEvent.from.otherAddresses ?? [])];
  for (const address of addresses) {
    if (address === undefined) continue;
    assert.equal(
      channel.recipient.validate(address),
      undefined,
      `${address} is not a valid recipient`,
    );
  }
  if (inboundEvent.what !== 'receipts')
    assert.ok(inboundEvent.key.length > 0, 'an inbound event has no key');
}
