import assert from 'node:assert/strict';

import { WebSocket } from 'ws';

import type { EngineName } from '../../../src/store/schema.ts';
import { openEndpoint } from '../../emulators/endpoint.ts';
import { type Serving, call, commandLine } from '../../support/programs/command.ts';
import { until } from '../../support/until.ts';

/*
 * Kills a service repeatedly with SIGKILL while a vendor floods it with webhook requests, each of which becomes an event.
 * Every acknowledged request must be in the feed exactly once; and webhook, polling and WebSocket must deliver the same
 * events in the same order.
 */
export interface WebhookFloodOptions {
  engine: EngineName;
  kills: number;
  /** Minimum number of acknowledged webhook requests. */
  calls: number;
  progress(text: string): void;
}

export interface WebhookFloodReport {
  acknowledged: number;
  /** Acknowledged, but not in the feed. */
  lost: number;
  /** In the feed more than once. */
  doubled: number;
  gaps: number;
  /** Events that the endpoint got more than once. They must have been in flight at a kill. */
  repeated: number;
  /** Whether webhook, polling and WebSocket delivered the same events in the same order. */
  isSame: boolean;
  kills: number;
}

const SECRET = 'fake-secret_of-a-webhook';
const CALLERS = 8;

export async function killDuringWebhooks(
  options: WebhookFloodOptions,
): Promise<WebhookFloodReport> {
  const { engine, kills, calls, progress } = options;
  const given: number[] = [];
  const endpoint = await openEndpoint((request) => {
    given.push((request.json as { id: number }).id);
    return { status: 204 };
  });
  const cli = await commandLine(engine, { SWITCHBOARD_LOG_LEVEL: 'error' });
  try {
    let serving: Serving = await cli.serve();
    const { token, hook } = await prepare(serving, endpoint.url);
    const received = listen(() => serving.url, token);
    const acknowledged = new Set<number>();
    let killed = 0;
    let next = 0;
    const share = Math.ceil(calls / (kills + 1));
    const isEnough = () => killed >= kills && acknowledged.size >= calls;
    const callers = Array.from({ length: CALLERS }, async () => {
      while (!isEnough()) {
        // Not faster than the events can be delivered.
        await until(
          'the next kill',
          () => acknowledged.size < share * (killed + 1) || isEnough(),
          120_000,
        );
        const number = ++next;
        // A vendor repeats a webhook request until it is acknowledged.
        await until(
          `call ${number}`,
          async () => (await post(`${serving.url}${hook}`, number)) === 200,
          120_000,
        );
        acknowledged.add(number);
      }
    });
    for (let i = 0; i < kills; i++) {
      const [before, givenBefore] = [acknowledged.size, given.length];
      const enough = Math.max(1, Math.floor(Math.random() * share * 0.9));
      await until(
        'the service at work',
        () => acknowledged.size >= before + enough && given.length >= givenBefore + enough / 2,
        60_000,
      );
      serving.process.kill('SIGKILL');
      await serving.process.exited;
      progress(`${++killed}/${kills} kills, ${acknowledged.size} acknowledged`);
      serving = await cli.serve();
    }
    await Promise.all(callers);
    const feed = await read(serving.url, token);
    const distinct = () => new Set(given).size;
    await until('the webhook has caught up', () => distinct() >= feed.length, 300_000);
    await until('the socket has caught up', () => received.ids.length >= feed.length, 60_000);
    received.stop();
    await serving.stop();
    return judge(feed, acknowledged, given, received.ids, kills);
  } finally {
    await cli[Symbol.asyncDispose]();
    await endpoint.close();
  }
}

async function prepare({ url, signIn }: Serving, webhook: string) {
  const as = { token: await signIn() };
  const { body: me } = await call(url, 'GET', '/1/users/me', as);
  const fields = { team_id: me.team_id, owner_id: me.id, state: 'enable', webhook_url: webhook };
  const { body: application } = await call(url, 'POST', '/1/applications', { ...as, json: fields });
  const minted = await call(url, 'POST', `/1/applications/${application.id}/tokens`, as);
  const token = String(minted.body.token);
  const json = {
    application_id: application.id,
    name: 'telegram',
    state: 'enable',
    secret: SECRET,
  };
  const { body: integration } = await call(url, 'POST', '/1/integrations', { token, json });
  const { body } = await call(url, 'GET', `/1/integrations/${integration.id}/hook`, { token });
  return { token, hook: new URL(body.url).pathname };
}

async function post(url: string, number: number): Promise<number | undefined> {
  const chat = { id: number % 50, type: 'private' };
  const message = { message_id: number, date: 1_794_700_800, from: chat, chat, text: `${number}` };
  try {
    const { status } = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': SECRET },
      body: JSON.stringify({ update_id: number, message }),
    });
    return status;
  } catch {
    return undefined;
  }
}

interface FeedEvent {
  id: number;
  number: number;
}

async function read(url: string, token: string): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  for (let after = 0; ;) {
    const { body } = await call(url, 'GET', `/1/events?limit=1000&after=${after}`, { token });
    for (const { id, data } of body.data) events.push({ id, number: Number(data.object.content) });
    const last = body.data.at(-1);
    if (!last) return events;
    after = last.id;
  }
}

/** Listens on a WebSocket, and opens another one after the last event whenever it ends. */
function listen(url: () => string, token: string): { ids: number[]; stop(): void } {
  const ids: number[] = [];
  let socket: WebSocket | undefined;
  let isStopped = false;
  const open = async (): Promise<void> => {
    if (isStopped) return;
    try {
      const { body } = await call(url(), 'GET', '/1/realtime', { token });
      socket = new WebSocket(`${body.url}?after=${ids.at(-1) ?? 0}`);
      socket.on('message', (data: Buffer) => {
        const { id } = JSON.parse(data.toString()) as { id: string };
        ids.push(Number(id.slice(id.lastIndexOf('/') + 1)));
      });
      socket.on('error', () => {});
      socket.on('close', () => void open());
    } catch {
      setTimeout(() => void open(), 50);
    }
  };
  void open();
  return {
    ids,
    stop() {
      isStopped = true;
      socket?.terminate();
    },
  };
}

function judge(
  feed: readonly FeedEvent[],
  acknowledged: ReadonlySet<number>,
  given: readonly number[],
  received: readonly number[],
  kills: number,
): WebhookFloodReport {
  const numbers = feed.map(({ number }) => number);
  const inFeed = new Set(numbers);
  const ids = feed.map(({ id }) => id);
  const firsts = [...new Set(given)];
  assert.ok(feed.length > 0, 'the feed is empty');
  return {
    acknowledged: acknowledged.size,
    lost: [...acknowledged].filter((number) => !inFeed.has(number)).length,
    doubled: numbers.length - inFeed.size,
    gaps: ids.filter((id, i) => id !== i + 1).length,
    repeated: given.length - firsts.length,
    isSame: isEqual(firsts, ids) && isEqual(received, ids),
    kills,
  };
}

const isEqual = (a: readonly number[], b: readonly number[]) =>
  a.length === b.length && a.every((value, i) => value === b[i]);
