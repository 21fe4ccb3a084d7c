import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Channel } from '../../src/channels/channel.ts';
import type { InboundEvent, Hook, HookResponse, HookRequest } from '../../src/channels/inbound.ts';
import type { Credentials } from '../../src/model/integration.ts';
import { fc } from '../support/fast-check.ts';
import { openContext } from './suite.ts';

/*
 * Runs a channel's hook: genuine calls in the vendor's documented shapes, and every way in which a call may
 * not be genuine. What is forged is made from the genuine calls themselves.
 */

/** A call as the vendor would make it, without its proof. */
export interface TestCall {
  method?: string;
  /** What follows the hook's own address. */
  path?: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  /** An object goes as JSON. */
  body?: string | Buffer | object;
}

/** A call with all that it needs to be sent. */
export interface Made {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: Buffer;
}

export interface HookCase {
  /** A sentence after the channel's name: `hears a picture with its caption`. */
  it: string;
  call: TestCall;
  /** Exactly what it brings; what is ignored too. Empty where it is a handshake, or tells what is known already. */
  inboundEvents: readonly InboundEvent[];
  /** What the vendor is told; 200 and nothing where this is left out. */
  answer?: HookResponse;
  credentials?: Credentials;
  /** Whether it is a handshake that proves nothing, and that anybody may ask for. */
  isOpen?: true;
}

export interface HookSuite {
  credentials: Credentials;
  /** Puts the vendor's proof on a call, as the vendor makes it with these credentials at that moment. */
  prove(call: Made, credentials: Credentials, now: number): Made | Promise<Made>;
  /** Whether the proof is over the bytes of the body. */
  coversBody: boolean;
  /** How many seconds old a call may be; left out where the vendor tells no time. */
  window?: number;
  /** Where the vendor's keys are to be had, where it has any. Opened anew for each test. */
  open?(): Promise<{ url: string; close(): Promise<void> }>;
  cases: readonly HookCase[];
}

export const HOOK_URL = 'https://switchboard.example/1/hooks/7/abcdefghijklmnopqrstuv';

export function testHook(channel: Channel, suite: HookSuite): void {
  const { hook } = channel;
  assert.ok(hook, `${channel.name} has no hook`);
  const run = <Result>(credentials: Credentials, use: (asked: Asked) => Promise<Result>) =>
    withContext(channel, hook, suite, credentials, use);
  const refuses = async (
    why: string,
    given: readonly HookCase[],
    forge: (each: HookCase, asked: Asked) => Promise<Made>,
    known?: Credentials,
  ) => {
    assert.ok(given.length > 0, `there is no case to be ${why}`);
    for (const each of given) {
      const credentials = { ...suite.credentials, ...each.credentials };
      await run(known ?? credentials, async (asked) => {
        const verdict = await asked.verify(await forge(each, asked));
        assert.ok(verdict, `${why}: ${each.it} is taken for genuine`);
        for (const secret of secretsOf(channel, credentials)) {
          assert.ok(!verdict.includes(secret), `${why}: a secret is told`);
        }
      });
    }
  };
  const closed = suite.cases.filter(({ isOpen }) => !isOpen);
  const posts = closed.filter(({ call }) => (call.method ?? 'POST') !== 'GET');

  describe(`${channel.name}, called by its vendor`, () => {
    for (const each of suite.cases) {
      it(each.it, async () => {
        const credentials = { ...suite.credentials, ...each.credentials };
        await run(credentials, async ({ prove, verify, call, context }) => {
          const made = await prove(each.call, credentials);
          assert.equal(await verify(made), undefined);
          const inboundEvents = hook.parse(call(made), context) ?? [];
          assert.ok(inboundEvents.length > 0, 'it is dropped in silence');
          assert.deepEqual(
            inboundEvents.filter(({ what }) => what !== 'nothing'),
            each.inboundEvents,
          );
          assert.deepEqual(
            hook.parse(call(made), context),
            inboundEvents,
            'the second time it differs',
          );
          assert.deepEqual(hook.answer?.(call(made), context) ?? {}, each.answer ?? {});
          for (const inboundEvent of inboundEvents)
            checkArrival(channel, credentials, inboundEvent);
        });
      });
    }

    // Where the vendor proves nothing, the address that nobody can guess is all there is.
    if (hook.needs.every((set) => set.length > 0)) {
      it('refuses calls without proof', () =>
        refuses('without proof', closed, async ({ call }) => madeOf(call)));

      it('refuses calls that others have made', () =>
        refuses('made by others', closed, (each, { prove }) =>
          prove(each.call, othersOf(channel, { ...suite.credentials, ...each.credentials })),
        ));

      it('refuses every call while it has no secret to judge by', () =>
        refuses(
          'without a secret',
          closed,
          (each, { prove }) => prove(each.call, { ...suite.credentials, ...each.credentials }),
          {},
        ));
    }

    if (suite.coversBody) {
      it('refuses calls that were changed or cut off on the way', async () => {
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
      it('refuses calls from long ago, and from the future', async () => {
        for (const late of [-(window + 5), window + 65]) {
          await refuses(`${late} s away`, posts, async (each, { prove }) =>
            prove(each.call, { ...suite.credentials, ...each.credentials }, late * 1000),
          );
        }
      });
    }

    it('is not thrown by whatever a genuine call holds', async () => {
      await run(suite.credentials, async ({ call, context }) => {
        const texts = posts.map(({ call: { body } }) =>
          madeOf({ body: body ?? '' }).body.toString(),
        );
        const like = fc.constantFrom(...texts).chain((text) => damaged(text));
        fc.assert(
          fc.property(fc.oneof(fc.json(), fc.string(), like), (body) => {
            for (const { call: given } of suite.cases) {
              const made = madeOf({ ...given, body });
              const inboundEvents = hook.parse(call(made), context);
              hook.answer?.(call(made), context);
              for (const inboundEvent of inboundEvents ?? []) JSON.stringify(inboundEvent);
            }
          }),
          { numRuns: 200 },
        );
      });
    });

    it('has a case for each receipt that it knows', () => {
      const told = suite.cases.flatMap(({ inboundEvents }) =>
        inboundEvents.flatMap((one) =>
          one.what === 'receipt' || one.what === 'receipts' ? one.state : [],
        ),
      );
      const missing = (channel.receipts ?? []).filter((state) => !told.includes(state));
      assert.deepEqual(missing, []);
    });
  });
}

interface Asked {
  context: ReturnType<typeof openContext>;
  call(made: Made): HookRequest;
  prove(call: TestCall, credentials: Credentials, shift?: number): Promise<Made>;
  verify(made: Made): Promise<string | undefined>;
}

async function withContext<Result>(
  { name }: Channel,
  hook: Hook,
  suite: HookSuite,
  credentials: Credentials,
  use: (asked: Asked) => Promise<Result>,
): Promise<Result> {
  const peer = await suite.open?.();
  await using context = openContext({ credentials, url: peer?.url ?? `https://${name}.example` });
  try {
    return await use({
      context,
      call: callOf,
      prove: async (given, known, shift = 0) =>
        suite.prove(madeOf(given), known, context.clock.now() + shift),
      verify: async (made) => hook.verify(callOf(made), context),
    });
  } finally {
    await peer?.close();
  }
}

function madeOf({
  method = 'POST',
  path = '',
  query = {},
  headers = {},
  body = '',
}: TestCall): Made {
  const isObject = typeof body === 'object' && !Buffer.isBuffer(body);
  const text = isObject ? JSON.stringify(body) : body;
  const type = isObject ? { 'content-type': 'application/json' } : {};
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  return { method, path, query: { ...query }, headers: { ...type, ...headers }, body: bytes };
}

function callOf({ method, path, query, headers, body }: Made): HookRequest {
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

/** A text of which some is missing, doubled or another character. */
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

/** The credentials of somebody else. */
function othersOf(channel: Channel, credentials: Credentials): Credentials {
  const needed = channel.hook?.needs.flat() ?? [];
  const others = channel.credentials
    .filter(({ name, secret }) => secret || needed.includes(name))
    .filter(({ name }) => credentials[name] !== undefined)
    .map(({ name }) => [name, otherThan(credentials[name] ?? '')]);
  return { ...credentials, ...Object.fromEntries(others) };
}

/** As long, and of the same letters. */
const otherThan = (secret: string) => Array.from(secret).toReversed().join('');

function checkArrival(
  channel: Channel,
  credentials: Credentials,
  inboundEvent: InboundEvent,
): void {
  const text = JSON.stringify(inboundEvent);
  for (const secret of secretsOf(channel, credentials)) {
    assert.ok(!text.includes(secret), 'an arrival holds a secret');
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
        : [inboundEvent.from.id, ...(inboundEvent.from.also ?? [])];
  for (const address of addresses) {
    if (address === undefined) continue;
    assert.equal(channel.recipient.validate(address), undefined, `${address} cannot be answered`);
  }
  if (inboundEvent.what !== 'receipts')
    assert.ok(inboundEvent.key.length > 0, 'an arrival has no key');
}
