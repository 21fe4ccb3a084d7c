import type { Clock } from '../../../src/lib/runtime/clock.ts';
import { loadSimulator } from '../../../src/sandbox/index.ts';
import { type Simulator, firstRecipient } from '../../../src/sandbox/simulator.ts';
import type { EngineName } from '../../../src/store/schema.ts';
import type { TestDatabase } from '../store/databases.ts';
import { until } from '../until.ts';
import type { Client, Reply } from './client.ts';
import { clientOf } from './delivery.ts';
import { type ShownEvent, feedOf } from './feed.ts';
import { type TestService, startTestService } from './service.ts';

/** A sandbox integration of a delivering service. */
export interface SandboxTest {
  service: TestService;
  app: Client;
  applicationId: number;
  integrationId: number;
  simulator: Simulator;
  /** The first address that can be written to. */
  recipient: string;
  /** Sends an object to a person, the first one by default; returns the id of the message. */
  send(
    object: Record<string, unknown>,
    to?: string,
    options?: Record<string, unknown>,
  ): Promise<number>;
  /** Waits until the message matches. */
  message(id: number, isWanted: (message: Reply['body']) => boolean): Promise<Reply['body']>;
  /** What the phones show, oldest first. */
  phone(): Promise<Reply['body'][]>;
  /** Waits for an entry that matches. */
  shown(what: string, isWanted: (entry: Reply['body']) => boolean): Promise<Reply['body']>;
  /** Waits for an event that matches. */
  event(what: string, isWanted: (event: ShownEvent) => boolean): Promise<ShownEvent>;
  act(action: string, body: Record<string, unknown>): Promise<Reply>;
}

/** The options without which a vendor sends no delivery reports. */
export const REPORTED: Readonly<Record<string, Record<string, unknown>>> = {
  pushover: { priority: 2 },
};

export interface SandboxService extends AsyncDisposable {
  service: TestService;
  /** Creates an application with a sandbox integration of this channel. */
  open(channel: string): Promise<SandboxTest>;
}

/** A delivering service that may connect to no address: not even emulators on loopback are allowed. */
export async function openSandboxes(
  engine: EngineName,
  {
    clock,
    environment = {},
    database,
  }: { clock?: Clock; environment?: Record<string, string>; database?: TestDatabase } = {},
): Promise<SandboxService> {
  const service = await startTestService(engine, {
    environment: { SWITCHBOARD_ROLE: 'all', SWITCHBOARD_ALLOW_LOOPBACK: 'off', ...environment },
    ...(clock && { clock }),
    ...(database && { database }),
  });
  return {
    service,
    open: (channel) => openSandbox(service, channel, clock),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

async function openSandbox(
  service: TestService,
  channel: string,
  clock: Clock | undefined,
): Promise<SandboxTest> {
  const simulator = await loadSimulator(channel);
  if (!simulator) throw new Error(`no simulator of ${channel}`);
  const { application } = await service.application();
  const app = await clientOf(service, 'application', application.id, clock);
  const { body: integration } = await app.post('/1/integrations', {
    application_id: application.id,
    name: channel,
    state: 'enable',
    mode: 'sandbox',
  });
  const { id } = integration;
  const phone = async () => {
    const { body } = await app.get(`/1/sandbox/${id}/messages?limit=1000`);
    return body.data.toReversed();
  };
  return {
    service,
    app,
    applicationId: application.id,
    integrationId: id,
    simulator,
    recipient: firstRecipient(simulator),
    async send(object, to = firstRecipient(simulator), options = {}) {
      const generator = { type: 'Service', id };
      const message = {
        '@context': 'https://www.w3.org/ns/activitystreams',
        type: 'Create',
        generator,
        to: { type: 'Person', id: to },
        object,
      };
      return (await app.post('/1/message', { message, options })).body.id;
    },
    message: (message, isWanted) =>
      until(`message ${message}`, async () => {
        const { body } = await app.get(`/1/messages/${message}`);
        return isWanted(body) && body;
      }),
    phone,
    shown: (what, isWanted) => until(what, async () => (await phone()).find(isWanted)),
    event: (what, isWanted) => until(what, async () => (await feedOf(app)).find(isWanted)),
    act: (action, body) => app.post(`/1/sandbox/${id}/${action}`, body),
  };
}
