import type { Channel } from '../channels/channel.ts';
import type { HookRequest, HookResponse } from '../channels/inbound.ts';
import type { HttpClient } from '../lib/http/client.ts';
import { FetchFault, FetchRefusal } from '../lib/http/fetch.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import { KeyedQueue } from '../lib/runtime/keyed-queue.ts';
import type { Log } from '../lib/telemetry/log.ts';
import type { Id } from '../model/id.ts';
import { SANDBOX_URL } from '../model/sandbox/sandbox-url.ts';
import type { Store } from '../store/store.ts';
import { actorAt, entryBy } from './actors.ts';
import { CUT_OFF, receiptsFor, refusalOf } from './fault-replies.ts';
import {
  type Behaviours,
  type FaultDecision,
  SLOW_MS,
  type SandboxFault,
  judge,
  isBlockedBy,
  readBehaviours,
  withBlocked,
  writeBehaviours,
} from './faults.ts';
import { hookRequest, reported } from './hook-request.ts';
import { loadSimulator } from './index.ts';
import type { SandboxIntegration } from './integration.ts';
import { LateReports } from './late-reports.ts';
import { sandboxNetwork } from './network.ts';
import { RateLimits } from './rate-limits.ts';
import { ReportSignals } from './report-signals.ts';
import { SandboxSessions } from './sessions.ts';
import type { PhoneEntry, ReceiptState, ShownEntry } from './shown.ts';
import {
  type Actor,
  type ReportContext,
  type Simulator,
  type WebhookRequest,
  receiptStates,
} from './simulator.ts';
import { StoredPhone } from './stored-phone.ts';
import type { Reply, Request } from './wire/request.ts';

interface SandboxOptions {
  store: Store;
  clock: Clock;
  log: Log;
  /** The live network; only its memory for files is used. */
  network: Pick<HttpClient, 'fileMemory'>;
  /** The address of the service. */
  baseUrl(): string;
  /** Passes a webhook request on as if it had arrived over HTTP. */
  receive(integrationId: Id, random: string, request: HookRequest): Promise<HookResponse>;
}

/** A webhook request, and the URL that it goes to. */
interface Report {
  url: string;
  random: string;
  request: WebhookRequest;
}

/** Simulates the vendors of sandbox integrations: their network, and what people do on their phones. */
export class Sandbox {
  readonly #options: SandboxOptions;
  /** Per integration: behaviours are read, judged and written one at a time. */
  readonly #judging = new KeyedQueue<Id>();
  /** Per integration: numbers are stored in order, because applications ask vendors for everything after a number. */
  readonly #acting = new KeyedQueue<Id>();
  readonly #reporting = new Set<Promise<void>>();
  readonly #reportSignals: ReportSignals;
  readonly #sessions: SandboxSessions;
  readonly #late: LateReports;
  readonly #rateLimits = new RateLimits();

  constructor(options: SandboxOptions) {
    this.#options = options;
    this.#reportSignals = new ReportSignals(options);
    this.#sessions = new SandboxSessions({
      ...options,
      reportSignals: this.#reportSignals,
      phoneOf: (place) => this.phoneOf(place),
      judge: async (place, to) => this.#judge(await simulatorOf(place), place, to),
      arrived: (...args) => this.#report(...args),
      slow: () => this.#wait(SLOW_MS),
    });
    this.#late = new LateReports({
      ...options,
      report: async (place, { to, message: number, fault }) => {
        const message = await this.phoneOf(place).get(number);
        if (message) await this.#reportAll(place, to, message, fault);
      },
    });
  }

  /** Passes on late reports, also those that another node has stored. */
  start(): void {
    this.#late.start();
  }

  /** The network of a sandbox integration, and the URL at which its channel finds the vendor. */
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
      connect: async (host, port) =>
        this.#sessions.connect(await loadSimulator(channel.name), place, { host, port }),
    });
    return {
      network,
      operatorUrl: channel.url === undefined ? undefined : `${SANDBOX_URL}${path}`,
    };
  }

  phoneOf({ id, applicationId }: Pick<SandboxIntegration, 'id' | 'applicationId'>): StoredPhone {
    const { store, clock } = this.#options;
    return new StoredPhone(store, clock, { applicationId, integrationId: id }, this.#reportSignals);
  }

  async #answer(
    place: Omit<SandboxIntegration, 'credentials'>,
    request: Request,
    signal: AbortSignal,
  ): Promise<Reply> {
    const simulator = await simulatorOf(place);
    const to = simulator.recipientOf(request);
    const { fault, seconds } = await this.#judge(simulator, place, to);
    const refusal = refusalOf(simulator, fault, seconds);
    if (refusal) return refusal;
    if (fault === 'outage') throw new FetchFault('connection refused', false);
    const phone = this.phoneOf(place);
    const limited = await this.#rateLimits.takeFrom(phone, place.id, simulator, to);
    if (limited) return limited;
    const reply = await simulator.respond(request, phone);
    if (to === undefined) return reply;
    const { lastShown } = phone;
    if (lastShown) this.#report(place, to, lastShown, fault);
    if (fault === 'lost_answer') throw new FetchFault('connection closed without a response', true);
    if (fault === 'malformed') return CUT_OFF;
    if (fault === 'slow') await this.#wait(SLOW_MS, signal);
    return reply;
  }

  /** The fault of a request. Uses up a fault that is limited to a number of requests. */
  async #judge(
    simulator: Simulator,
    place: Pick<SandboxIntegration, 'id' | 'applicationId'>,
    to: string | undefined,
  ): Promise<FaultDecision> {
    const { clock } = this.#options;
    return this.changeBehaviours(place, (behaviours) => {
      const judged = judge(simulator, behaviours, to, clock.now());
      return { behaviours: judged.behaviours, answer: judged };
    });
  }

  /**
   * Reads and changes the behaviours of an integration. One change at a time on this node; if another node was faster,
   * `change` is called again with its result.
   */
  changeBehaviours<Answer>(
    place: Pick<SandboxIntegration, 'id' | 'applicationId'>,
    change: (behaviours: Behaviours) => { behaviours?: Behaviours | undefined; answer: Answer },
  ): Promise<Answer> {
    const { sandboxMessages } = this.#options.store;
    return this.#judging.run(place.id, async () => {
      for (;;) {
        const before = await sandboxMessages.behaviours(place);
        const { behaviours, answer } = change(readBehaviours(before ?? null));
        if (before === undefined || !behaviours) return answer;
        const after = writeBehaviours(behaviours);
        if (await sandboxMessages.replaceBehaviours(place, before, after)) return answer;
      }
    });
  }

  /** The person blocks the sender, or no longer does. */
  setBlocked(
    place: Pick<SandboxIntegration, 'id' | 'applicationId'>,
    to: string,
    isBlocked: boolean,
  ): Promise<void> {
    return this.changeBehaviours(place, (behaviours) => ({
      behaviours: withBlocked(behaviours, to, isBlocked),
      answer: undefined,
    }));
  }

  async #build(
    { id, applicationId, credentials }: SandboxIntegration,
    build: (context: ReportContext) => WebhookRequest,
    number: number,
  ): Promise<Report> {
    const { store, clock, baseUrl } = this.#options;
    const hook = await store.integrations.hookOf(applicationId, id);
    if (!hook) throw new FetchRefusal('the integration was deleted');
    const url = `${SANDBOX_URL}/1/hooks/${id}/${hook.random}`;
    const fileUrl = (file: string) => `${baseUrl()}/1/sandbox/${id}/files/${file}`;
    const request = build({ credentials, url, now: clock.now(), number, fileUrl });
    return { url, random: hook.random, request };
  }

  /** Passes a report of the vendor on. `times` is how often the vendor sends it. */
  async #pass(
    { id }: SandboxIntegration,
    { url, random, request }: Report,
    times = 1,
  ): Promise<void> {
    const { receive } = this.#options;
    for (const each of [request, ...(request.more ?? [])]) {
      for (let i = 0; i < times; i++) await reported(receive(id, random, hookRequest(url, each)));
    }
  }

  /** Resolves once the reports in transit have arrived. */
  async close(): Promise<void> {
    this.#late.stop();
    this.#reportSignals.close();
    await this.#sessions.close();
    await Promise.all(this.#reporting);
  }

  /** Sends the reports and answers that follow a message. */
  #report(
    place: Omit<SandboxIntegration, 'credentials'>,
    to: string,
    shown: PhoneEntry,
    fault: SandboxFault | undefined,
  ): void {
    this.#inBackground(
      place.id,
      fault === 'late_receipt'
        ? this.#late.add(place, { to, message: shown.number, fault })
        : this.#reportAll(place, to, shown, fault),
    );
  }

  #inBackground(integrationId: Id, work: Promise<void>): void {
    const reporting = work
      .catch((error: unknown) => {
        const context = { err: error, integration_id: integrationId };
        this.#options.log.warn(context, 'sandbox report failed');
      })
      .finally(() => this.#reporting.delete(reporting));
    this.#reporting.add(reporting);
  }

  async #reportAll(
    { applicationId, id }: Pick<SandboxIntegration, 'applicationId' | 'id'>,
    to: string,
    message: PhoneEntry,
    fault: SandboxFault | undefined,
  ): Promise<void> {
    const integration = await this.#options.store.integrations.get(applicationId, id);
    if (!integration || integration.mode !== 'sandbox') return;
    const simulator = await simulatorOf(integration);
    for (const state of receiptsFor(fault))
      await this.reportReceipt(integration, simulator, message, state);
    await this.#sendAnswers(integration, simulator, actorAt(simulator, to), fault);
  }

  /** Reports that a message was delivered or read, and shows it on the phone. */
  async reportReceipt(
    integration: SandboxIntegration,
    simulator: Simulator,
    message: PhoneEntry,
    state: ReceiptState,
  ): Promise<void> {
    const { receipt } = simulator.reports;
    if (!receiptStates(simulator).includes(state) || simulator.hasReceipt?.(message) === false)
      return;
    const phone = this.phoneOf(integration);
    const number = await phone.nextNumber();
    const current = (await phone.get(message.number)) ?? message;
    await phone.change(message.number, { ...current.entry, status: state });
    if (!receipt) {
      const actor = actorAt(simulator, message.person);
      const report = { kind: 'receipt', entry: message.number, state, ...actor } as const;
      return this.#acting.run(integration.id, () => this.#sessions.add(integration, report));
    }
    const build = (context: ReportContext) => receipt({ message, state }, context);
    await this.#pass(integration, await this.#build(integration, build, number));
  }

  async #sendAnswers(
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
    if (!build) {
      return this.#acting.run(integration.id, () =>
        this.#actInSession(integration, actor, entry, given, times),
      );
    }
    const phone = this.phoneOf(integration);
    const number = given ?? (await phone.nextNumber());
    if (entry.kind === 'message') await this.#reactAsVendor(integration, actor, entry);
    const report = await this.#build(integration, build, number);
    const { id = String(number), isFetched = false } = report.request;
    const written = entryBy(actor, number, id, entry);
    const shown = isFetched ? await phone.add(written) : undefined;
    await this.#pass(integration, report, times);
    return shown ?? phone.add(written);
  }

  /** Runs before the report, so that a vendor that stops messages on a stop word does so at once. */
  async #reactAsVendor(
    integration: SandboxIntegration,
    actor: Actor,
    { text = '' }: ShownEntry,
  ): Promise<void> {
    const { vendorReaction } = await simulatorOf(integration);
    if (!vendorReaction) return;
    const { address } = actor.person;
    const reaction = await this.changeBehaviours(integration, (behaviours) => {
      const before = isBlockedBy(behaviours, address);
      const answer = vendorReaction({ ...actor, text, isBlocked: before });
      const isBlocked = answer?.isBlocked ?? before;
      if (isBlocked === before) return { answer };
      return { behaviours: withBlocked(behaviours, address, isBlocked), answer };
    });
    if (!reaction) return;
    const shown = { text: reaction.answer, labels: ['from the vendor'] };
    await this.phoneOf(integration).show(address, shown, (number) => `answer-${number}`);
  }

  /** The phone shows it; a session reports it, or the vendor is polled for it. */
  async #actInSession(
    integration: SandboxIntegration,
    actor: Actor,
    entry: ShownEntry,
    given: number | undefined,
    times = 1,
  ): Promise<PhoneEntry> {
    const phone = this.phoneOf(integration);
    const number = given ?? (await phone.nextNumber());
    const simulator = await simulatorOf(integration);
    const id = simulator.idOf?.(number, actor) ?? String(number);
    const added = await phone.add(entryBy(actor, number, id, entry));
    this.#reportSignals.wake(integration.id);
    if (!simulator.session?.reports.includes(entry.kind)) return added;
    const message = entry.reply_to === undefined ? undefined : await phone.find(entry.reply_to);
    const about = { entry: number, ...(message && { message: message.number }) };
    const report = { ...actor, kind: entry.kind, ...about };
    for (let i = 0; i < times; i++) await this.#sessions.add(integration, report);
    return added;
  }

  async #wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(milliseconds, resolve);
    const onAbort = () => reject(new FetchFault('the vendor took too long to answer', true));
    signal?.addEventListener('abort', onAbort);
    try {
      await promise;
    } finally {
      cancel();
      signal?.removeEventListener('abort', onAbort);
    }
  }
}

async function simulatorOf({ name }: Pick<SandboxIntegration, 'name'>): Promise<Simulator> {
  const simulator = await loadSimulator(name);
  if (simulator) return simulator;
  throw new FetchRefusal(`the sandbox has no simulator of ${name}`);
}
