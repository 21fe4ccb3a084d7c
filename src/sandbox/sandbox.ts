import type { Channel } from '../channels/channel.ts';
import type { HookRequest, HookResponse } from '../channels/inbound.ts';
import type { HttpClient } from '../lib/http/client.ts';
import { FetchFault, FetchRefusal } from '../lib/http/fetch.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import type { Id } from '../model/id.ts';
import type { Credentials } from '../model/integration.ts';
import { SANDBOX_URL } from '../model/sandbox/sandbox-url.ts';
import type { Store } from '../store/store.ts';
import {
  type Behaviours,
  type Judged,
  LATE_RECEIPT_MS,
  SLOW_MS,
  type SandboxFault,
  judge,
  readBehaviours,
  writeBehaviours,
} from './faults.ts';
import { loadSimulator } from './index.ts';
import { sandboxNetwork } from './network.ts';
import type { PhoneEntry, ShownEntry } from './shown.ts';
import type { Actor, Person, ReportContext, Simulator, WebhookRequest } from './simulator.ts';
import { StoredPhone } from './stored-phone.ts';
import type { Reply, Request } from './wire/request.ts';

export interface SandboxOptions {
  store: Store;
  clock: Clock;
  log: Log;
  /** The live network; only its memory for files is used. */
  network: Pick<HttpClient, 'fileMemory'>;
  /** Passes a webhook request on as if it had arrived over HTTP. */
  receive(integrationId: Id, random: string, request: HookRequest): Promise<HookResponse>;
}

/** An integration in the sandbox. */
export interface SandboxIntegration {
  id: Id;
  applicationId: Id;
  /** The name of the channel. */
  name: string;
  credentials: Credentials;
}

/** A webhook request, and the address that it goes to. */
interface Report {
  url: string;
  random: string;
  request: WebhookRequest;
}

/** Simulates the vendors of sandbox integrations: their network, and what people do on their phones. */
export class Sandbox {
  readonly #options: SandboxOptions;
  /** Per integration, the last change to its behaviours; they are read, judged and written one at a time. */
  readonly #judging = new Map<Id, Promise<unknown>>();
  readonly #reporting = new Set<Promise<void>>();

  constructor(options: SandboxOptions) {
    this.#options = options;
  }

  /** The network of a sandbox integration, and the address at which its channel finds the vendor. */
  access(
    integration: Omit<SandboxIntegration, 'name' | 'credentials'>,
    channel: Pick<Channel, 'name' | 'url'>,
  ): { network: HttpClient; operatorUrl: string | undefined } {
    const path = URL.parse(channel.url ?? '')?.pathname.replace(/\/$/, '') ?? '';
    const place = { ...integration, name: channel.name };
    const network = sandboxNetwork({
      basePath: path,
      hosts: async () => (await loadSimulator(channel.name))?.hosts ?? [],
      fileMemory: this.#options.network.fileMemory,
      answer: (request, signal) => this.#answer(place, request, signal),
    });
    return {
      network,
      operatorUrl: channel.url === undefined ? undefined : `${SANDBOX_URL}${path}`,
    };
  }

  phoneOf({ id, applicationId }: Pick<SandboxIntegration, 'id' | 'applicationId'>): StoredPhone {
    const { store, clock } = this.#options;
    return new StoredPhone(store, clock, { applicationId, integrationId: id });
  }

  async #answer(
    place: Omit<SandboxIntegration, 'credentials'>,
    request: Request,
    signal: AbortSignal,
  ): Promise<Reply> {
    const simulator = await loadSimulator(place.name);
    if (!simulator) throw new FetchRefusal(`the sandbox has no simulator of ${place.name}`);
    const to = simulator.recipientOf(request);
    const { fault, seconds } = await this.#judge(simulator, place, to);
    const refusal = refusalOf(simulator, fault, seconds);
    if (refusal) return refusal;
    if (fault === 'outage') throw new FetchFault('connection refused', false);
    const phone = this.phoneOf(place);
    const reply = await simulator.respond(request, phone);
    if (to === undefined) return reply;
    const { lastShown } = phone;
    if (lastShown) this.#report(place, simulator, to, lastShown, fault);
    if (fault === 'lost_answer') throw new FetchFault('connection closed without a response', true);
    if (fault === 'malformed') return CUT_OFF;
    if (fault === 'slow') await this.#wait(SLOW_MS, signal);
    return reply;
  }

  /** The fault of a request. Records what happens only once. */
  async #judge(
    simulator: Simulator,
    place: Pick<SandboxIntegration, 'id' | 'applicationId'>,
    to: string | undefined,
  ): Promise<Judged> {
    const { clock } = this.#options;
    return this.changeBehaviours(place, (behaviours) => {
      const judged = judge(simulator, behaviours, to, clock.now());
      return { behaviours: judged.behaviours, answer: judged };
    });
  }

  /** Reads and changes the behaviours of an integration, one change at a time on this node. */
  changeBehaviours<Answer>(
    place: Pick<SandboxIntegration, 'id' | 'applicationId'>,
    change: (behaviours: Behaviours) => { behaviours?: Behaviours | undefined; answer: Answer },
  ): Promise<Answer> {
    const { sandboxMessages } = this.#options.store;
    const before = this.#judging.get(place.id) ?? Promise.resolve();
    const next = before
      .catch(() => {})
      .then(async () => {
        const stored = readBehaviours(await sandboxMessages.behaviours(place));
        const { behaviours, answer } = change(stored);
        if (behaviours) await sandboxMessages.setBehaviours(place, writeBehaviours(behaviours));
        return answer;
      })
      .finally(() => {
        if (this.#judging.get(place.id) === next) this.#judging.delete(place.id);
      });
    this.#judging.set(place.id, next);
    return next;
  }

  async #build(
    { id, applicationId, credentials }: SandboxIntegration,
    build: (context: ReportContext) => WebhookRequest,
    number: number,
  ): Promise<Report> {
    const { store, clock } = this.#options;
    const hook = await store.integrations.hookOf(applicationId, id);
    if (!hook) throw new FetchRefusal('the integration was deleted');
    const url = `${SANDBOX_URL}/1/hooks/${id}/${hook.random}`;
    const request = build({ credentials, url, now: clock.now(), number });
    return { url, random: hook.random, request };
  }

  /** Passes a report of the vendor on. `times` is how often the vendor sends it. */
  async #pass(
    { id }: SandboxIntegration,
    { url, random, request }: Report,
    times = 1,
  ): Promise<void> {
    const { receive } = this.#options;
    for (let i = 0; i < times; i++) await receive(id, random, hookRequest(url, request));
  }

  /** Resolves once the reports under way have arrived. Reports that are due later are dropped. */
  async close(): Promise<void> {
    await Promise.all(this.#reporting);
  }

  /** What the vendor and the person do after a message has arrived. */
  #report(
    place: Omit<SandboxIntegration, 'credentials'>,
    simulator: Simulator,
    to: string,
    shown: PhoneEntry,
    fault: SandboxFault | undefined,
  ): void {
    const begin = () => {
      const reporting = this.#reportAll(place, simulator, to, shown, fault)
        .catch((error: unknown) => {
          const { id } = place;
          this.#options.log.warn({ err: error, integration_id: id }, 'sandbox report failed');
        })
        .finally(() => this.#reporting.delete(reporting));
      this.#reporting.add(reporting);
    };
    if (fault === 'late_receipt') this.#options.clock.after(LATE_RECEIPT_MS, begin);
    else begin();
  }

  async #reportAll(
    { applicationId, id }: Omit<SandboxIntegration, 'credentials'>,
    simulator: Simulator,
    to: string,
    message: PhoneEntry,
    fault: SandboxFault | undefined,
  ): Promise<void> {
    const integration = await this.#options.store.integrations.get(applicationId, id);
    if (!integration || integration.mode !== 'sandbox') return;
    const { receipt } = simulator.reports;
    if (receipt) {
      for (const state of receiptsFor(fault))
        await this.receipt(integration, simulator, message, state);
    }
    await this.#answers(integration, simulator, simulated(simulator, to), fault);
  }

  /** Reports that a message was delivered or read, and shows it on the phone. */
  async receipt(
    integration: SandboxIntegration,
    simulator: Simulator,
    message: PhoneEntry,
    state: 'delivered' | 'read' | 'failed',
  ): Promise<void> {
    const { receipt } = simulator.reports;
    if (!receipt) return;
    const phone = this.phoneOf(integration);
    const number = await phone.nextNumber();
    const current = (await phone.get(message.number)) ?? message;
    await phone.change(message.number, { ...current.entry, status: state });
    const build = (context: ReportContext) => receipt({ message, state }, context);
    await this.#pass(integration, await this.#build(integration, build, number));
  }

  async #answers(
    integration: SandboxIntegration,
    simulator: Simulator,
    actor: Actor,
    fault: SandboxFault | undefined,
  ): Promise<void> {
    const { message } = simulator.reports;
    const write = (text: string, number?: number, times?: number) => {
      const build = message && ((context: ReportContext) => message({ ...actor, text }, context));
      const entry = { kind: 'message', text } as const;
      return this.act(integration, actor, entry, build, { number, times });
    };
    if (fault === 'stop') await write('STOP');
    if (fault === 'repeated_webhook') await write('Hello', undefined, 2);
    if (fault !== 'reordered_webhooks') return;
    const phone = this.phoneOf(integration);
    const [first, second] = [await phone.nextNumber(), await phone.nextNumber()];
    await write('Second', second);
    await write('First', first);
  }

  /**
   * A person does something: the vendor reports it, and the phone shows it. Without a report, the vendor is polled for
   * it.
   */
  async act(
    integration: SandboxIntegration,
    actor: Actor,
    entry: ShownEntry,
    build: ((context: ReportContext) => WebhookRequest) | undefined,
    { number: given, times }: { number?: number | undefined; times?: number | undefined } = {},
  ): Promise<PhoneEntry> {
    const phone = this.phoneOf(integration);
    const number = given ?? (await phone.nextNumber());
    if (!build) return phone.add(entryBy(actor, number, String(number), entry));
    const report = await this.#build(integration, build, number);
    const { id = String(number), isFetched = false } = report.request;
    const written = entryBy(actor, number, id, entry);
    const shown = isFetched ? await phone.add(written) : undefined;
    await this.#pass(integration, report, times);
    return shown ?? phone.add(written);
  }

  async #wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(milliseconds, resolve);
    const onAbort = () => reject(new FetchFault('the vendor took too long to answer', true));
    signal.addEventListener('abort', onAbort);
    try {
      await promise;
    } finally {
      cancel();
      signal.removeEventListener('abort', onAbort);
    }
  }
}

/** A successful answer that ends too early. */
const CUT_OFF: Reply = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: '{"ok":',
};

/** An entry by a person, in their own conversation or in a room. */
export function entryBy(
  { person, room }: Actor,
  number: number,
  vendorId: string,
  entry: ShownEntry,
): Omit<PhoneEntry, 'createdAt'> {
  return {
    number,
    person: (room ?? person).address,
    author: 'person',
    vendorId,
    entry: { ...entry, ...(room && { sender: person.name }) },
  };
}

/** The person with this address; in a room, its first member. */
export function simulated(simulator: Simulator, address: string): Actor {
  const known = simulator.people.find((each) => each.address === address);
  const [first] = simulator.people;
  if (known?.isRoom) return { person: first, room: known };
  if (!known && simulator.isRoom?.(address)) {
    return { person: first, room: { address, name: address, isRoom: true } };
  }
  const person: Person = known ?? { address, name: address };
  return { person };
}

/** The reports of a delivered message, in order. */
function receiptsFor(fault: SandboxFault | undefined): ('delivered' | 'read')[] {
  switch (fault) {
    case 'read':
      return ['delivered', 'read'];
    case 'reordered_receipts':
      return ['read', 'delivered'];
    case 'repeated_receipts':
      return ['delivered', 'delivered'];
    case 'no_receipt':
      return [];
    default:
      return ['delivered'];
  }
}

function refusalOf(
  simulator: Simulator,
  fault: SandboxFault | undefined,
  seconds: number,
): Reply | undefined {
  switch (fault) {
    case 'blocked':
    case 'unknown':
    case 'limited':
    case 'credentials':
      return simulator.refuse(fault, Math.ceil(seconds));
    case 'server_error':
      return { status: 500, body: 'Internal Server Error' };
    case 'unavailable':
      return { status: 503, body: 'Service Unavailable' };
    default:
      return undefined;
  }
}

function hookRequest(url: string, request: WebhookRequest): HookRequest {
  const { method = 'POST', path = '', query = '', headers, body } = request;
  const named = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return {
    method,
    url: `${url}${path}${query === '' ? '' : `?${query}`}`,
    path,
    query: new URLSearchParams(query),
    header: (name) => named.get(name.toLowerCase()),
    body: Buffer.from(body),
  };
}
