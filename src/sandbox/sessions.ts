import type { Socket } from 'node:net';

import { FetchFault, FetchRefusal } from '../lib/http/fetch.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import type { SandboxReport } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import type { FaultDecision, SandboxFault } from './faults.ts';
import type { SandboxIntegration } from './integration.ts';
import type { ReportSignals } from './report-signals.ts';
import type { Session, SessionReport, SessionAnswer, WaitingReport } from './session.ts';
import type { PhoneEntry } from './shown.ts';
import type { Simulator } from './simulator.ts';
import type { StoredPhone } from './stored-phone.ts';
import { openDuplex } from './wire/duplex.ts';

type Place = Omit<SandboxIntegration, 'credentials'>;

export interface SessionsOptions {
  store: Store;
  clock: Clock;
  log: Log;
  reportSignals: ReportSignals;
  phoneOf(place: Place): StoredPhone;
  judge(place: Place, to: string | undefined): Promise<FaultDecision>;
  /** Sends the reports and answers that follow a message. */
  arrived(place: Place, to: string, shown: PhoneEntry, fault: SandboxFault | undefined): void;
  /** Waits as long as a slow vendor. */
  slow(): Promise<void>;
}

/** How soon a report that failed is repeated. */
const RETRY_MS = 1_000;
/** Longer than the delay before the first retry, so that the retry of a message is refused. */
export const LOGIN_REFUSAL_MS = 30_000;
const MAX_REPORTS = 100;

interface Follower {
  place: Place;
  report(report: SessionReport): Promise<void> | void;
  isOpen(): boolean;
}

/** The open sessions of sandbox integrations on this node. */
export class SandboxSessions {
  readonly #options: SessionsOptions;
  readonly #sockets = new Set<Socket>();
  /** Per integration; the first one receives the reports. */
  readonly #followers = new Map<Id, Follower[]>();
  /** Per integration, the reporting under way, and whether to look once more. */
  readonly #reporting = new Map<Id, { again: boolean; done: Promise<void> }>();
  /** For each integration whose logins are refused, the time when that ends. */
  readonly #refused = new Map<Id, Millis>();
  #isClosed = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Connects a channel to its simulated vendor. Rejects as `dial` does. */
  async connect(
    simulator: Simulator | undefined,
    place: Place,
    at: { host: string; port: number },
  ): Promise<Socket> {
    const server = simulator?.session;
    if (!server) throw new FetchRefusal('the sandbox has no server for this protocol');
    if (this.#isClosed) throw new FetchFault('the service is stopping', false);
    const { fault } = await this.#options.judge(place, undefined);
    if (fault === 'outage') throw new FetchFault('connection refused', false);
    const [client, peer] = openDuplex();
    this.#sockets.add(peer);
    peer.once('close', () => this.#sockets.delete(peer));
    server.serve(peer, this.#sessionOver(peer, place), at);
    return client;
  }

  /** Stores a report until a session has passed it on, or the vendor is polled for it. */
  async add(
    { id: integrationId, applicationId }: Omit<Place, 'name'>,
    report: WaitingReport,
  ): Promise<void> {
    const { store, clock } = this.#options;
    await store.sandboxReports.insert({
      applicationId,
      integrationId,
      id: await store.sandboxMessages.nextId(),
      createdAt: clock.now(),
      dueAt: null,
      body: JSON.stringify(report),
    });
    this.#options.reportSignals.wake(integrationId);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all([...this.#reporting.values()].map(({ done }) => done));
  }

  #sessionOver(socket: Socket, place: Place): Session {
    return {
      phone: this.#options.phoneOf(place),
      admits: async () => {
        const { fault } = await this.#options.judge(place, undefined);
        return !this.#refusesLogin(place.id) && fault !== 'credentials';
      },
      refuseLogins: () => {
        this.#refused.set(place.id, this.#options.clock.now() + LOGIN_REFUSAL_MS);
      },
      take: (to, show) => this.#take(place, to, show),
      follow: (report) => this.#follow(socket, { place, report, isOpen: () => !socket.destroyed }),
    };
  }

  #refusesLogin(id: Id): boolean {
    if ((this.#refused.get(id) ?? 0) > this.#options.clock.now()) return true;
    this.#refused.delete(id);
    return false;
  }

  async #take(place: Place, to: string, show: () => Promise<PhoneEntry>): Promise<SessionAnswer> {
    const { judge, arrived, slow } = this.#options;
    const { fault, seconds } = await judge(place, to);
    switch (fault) {
      case 'blocked':
      case 'unknown':
      case 'limited':
      case 'credentials':
      case 'server_error':
      case 'unavailable':
        return { refusal: fault, seconds: Math.ceil(seconds) };
      case 'outage':
        return { refusal: 'lost', seconds };
      default:
    }
    arrived(place, to, await show(), fault);
    if (fault === 'slow') await slow();
    return { seconds, ...(fault === 'lost_answer' && { refusal: 'lost' as const }) };
  }

  #follow(socket: Socket, follower: Follower): void {
    const { id } = follower.place;
    this.#followers.set(id, [...(this.#followers.get(id) ?? []), follower]);
    const unwatch = this.#options.reportSignals.watch(id, () => this.#wake(id));
    socket.once('close', () => {
      unwatch();
      const others = (this.#followers.get(id) ?? []).filter((each) => each !== follower);
      if (others.length > 0) this.#followers.set(id, others);
      else this.#followers.delete(id);
      // Another session takes what this one has not.
      this.#wake(id);
    });
    this.#wake(id);
  }

  /** Passes on waiting reports, unless that is in progress already. */
  #wake(id: Id): void {
    const running = this.#reporting.get(id);
    if (running) {
      running.again = true;
      return;
    }
    if (this.#isClosed || !this.#followers.has(id)) return;
    const state = { again: false, done: Promise.resolve() };
    state.done = this.#reportAll(id)
      .catch((error: unknown) => {
        this.#options.log.warn({ err: error, integration_id: id }, 'sandbox report failed');
        state.again = false;
        this.#options.clock.after(RETRY_MS, () => this.#wake(id));
      })
      .finally(() => {
        this.#reporting.delete(id);
        if (state.again) this.#wake(id);
      });
    this.#reporting.set(id, state);
  }

  async #reportAll(id: Id): Promise<void> {
    const { sandboxReports } = this.#options.store;
    for (;;) {
      const follower = this.#followers.get(id)?.find((each) => each.isOpen());
      if (!follower) return;
      const { applicationId } = follower.place;
      const place = { applicationId, integrationId: id };
      const rows = await sandboxReports.forSession(place, MAX_REPORTS);
      for (const row of rows) {
        const report = await this.#read(follower.place, row);
        if (!follower.isOpen()) break;
        if (report) await follower.report(report);
        await sandboxReports.remove(place, row.id);
      }
      if (rows.length < MAX_REPORTS) return;
    }
  }

  /** Undefined if the phone no longer has the entry that the report is about. */
  async #read(
    place: Place,
    { id: number, body }: SandboxReport,
  ): Promise<SessionReport | undefined> {
    const { kind, entry: about, message, state, ...actor } = JSON.parse(body) as WaitingReport;
    const phone = this.#options.phoneOf(place);
    const entry = await phone.get(about);
    if (!entry) return undefined;
    const referred = message === undefined ? undefined : await phone.get(message);
    const common = { ...actor, number, entry, ...(referred && { message: referred }) };
    if (kind !== 'receipt') return { kind, ...common };
    return state && { kind, state, ...common };
  }
}
