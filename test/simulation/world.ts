import assert from 'node:assert/strict';

import type { Channel, Outcome, OutboundMessage } from '../../src/channels/channel.ts';
import { LEASE_MS } from '../../src/deliver/ownership.ts';
import { type Message, isSettled } from '../../src/model/message.ts';
import { TestClock } from '../support/clock.ts';
import { type Behaviour, type Outage, behave } from './behaviours.ts';
import { MAX_TEXT, simulatedChannel } from './channel.ts';
import { AddressChanges, MOVING } from './moves.ts';
import { SimulatedNode, type StoreFault } from './node.ts';
import { settleOwnership } from './ownership.ts';
import { plainMessage } from './plain.ts';
import { type PoolPlace, SimulatedPool, overtaken } from './pools.ts';
import { SimulatedQuietHours } from './quiet.ts';
import type { Accepted, GivenMessage, InboundEvent, WorldOptions } from './records.ts';
import { RouteBans } from './route-bans.ts';
import * as routing from './routed.ts';
import { clearTables, storeApplication } from './setup.ts';
import { Stops } from './stops.ts';
import { SimulatedWindows } from './windows.ts';

const MAX_ROUNDS = 400;

/** A simulation: several nodes, a store and a channel with a simulated clock. Invariants are checked at every step. */
export class World {
  readonly clock = new TestClock();
  readonly inboundEvents: InboundEvent[] = [];
  readonly accepted: Accepted[] = [];
  nodes: SimulatedNode[] = [];
  readonly #everyNode: SimulatedNode[] = [];
  readonly #options: WorldOptions;
  #behaviours: readonly Behaviour[];
  #storeFaults: readonly StoreFault[];
  #questions = 0;
  #applicationId = 0;
  readonly #integrationIds: number[] = [];
  #places = 0;
  readonly #faults: string[] = [];
  readonly #stops = new Stops(() => this.clock.now());
  readonly #windows = new SimulatedWindows(this.clock.now());
  readonly #quietHours: SimulatedQuietHours;
  readonly bans = new RouteBans();
  readonly #addresses = new AddressChanges();
  #simulatedPool: SimulatedPool | undefined;
  /** Integrations that fail for a while, and how. */
  readonly #outages = new Map<number, Outage>();

  private constructor(options: WorldOptions) {
    this.#options = options;
    this.#behaviours = options.behaviours;
    this.#storeFaults = options.storeFaults;
    this.#quietHours = new SimulatedQuietHours(options.quiet ?? 'none');
  }

  static async create(options: WorldOptions): Promise<World> {
    const world = new World(options);
    const made = await storeApplication(options, world.clock.now());
    world.#applicationId = made.applicationId;
    world.#integrationIds.push(...made.integrationIds);
    await world.#quietHours.store(options.store, made.applicationId);
    await world.startNode();
    return world;
  }

  async startNode(): Promise<void> {
    const { store, log, random, maxConcurrentRounds } = this.#options;
    const node = new SimulatedNode({
      store,
      clock: this.clock,
      log,
      channel: (own) => this.#channel(own),
      random,
      maxConcurrentRounds,
      stops: this.#stops,
      nextFault: () => this.#storeFaults[this.#questions++ % this.#storeFaults.length] ?? 'none',
    });
    this.nodes.push(node);
    this.#everyNode.push(node);
    await node.delivery.start();
  }

  async accept(given: GivenMessage, pool?: PoolPlace): Promise<void> {
    const { recipient, delay = 0, category = null } = given;
    const integrationId = this.#integration(given.integration);
    const createdAt = this.clock.now();
    const own = { applicationId: this.#applicationId, integrationId, createdAt };
    const address = this.#addresses.addressOf(integrationId, recipient);
    const { message, record } = plainMessage(given, own, address);
    // The place of a scheduled message is known when it joins its lane, and quiet hours change it; see `outOfOrder`.
    const place = delay === 0 && category === null ? ++this.#places : Number.NaN;
    const [accepted] = await this.#options.store.messages.accept([{ messages: [message] }]);
    assert.ok(accepted && !('repeated' in accepted));
    assert.equal('refused' in accepted, this.#stops.isStopped(recipient), 'accept and stop');
    if ('refused' in accepted) return;
    this.accepted.push({ id: accepted.ids[0] ?? 0, place, ...record, pool });
    if (delay === 0) this.#wake(integrationId);
  }

  /** A message that may go through several integrations. */
  async acceptRouted(step: routing.RoutedStep): Promise<void> {
    const { integration, shape, delay, category, recipient } = step;
    const isPool = shape.startsWith('pool');
    const ids = isPool
      ? await this.#pool.order(recipient, this.clock.now())
      : [integration, integration + 1].map((each) => this.#integration(each));
    if (!ids) return undefined;
    const isOrdered = shape === 'pool' && delay === 0 && category === null;
    const pool = isOrdered ? this.#pool.nextPlace(recipient) : undefined;
    const [only = 0] = ids;
    // A message has routes if there are several.
    if (ids.length === 1) {
      return this.accept({ ...step, integration: this.#integrationIds.indexOf(only) }, pool);
    }
    const place = { applicationId: this.#applicationId, createdAt: this.clock.now() };
    const { message, record } = routing.routedMessage(step, ids, place);
    const [accepted] = await this.#options.store.messages.accept([{ messages: [message] }]);
    if (!accepted || !('ids' in accepted)) return undefined;
    this.accepted.push({ id: accepted.ids[0] ?? 0, ...record, pool });
    if (record.dueAt === undefined) this.#wake(ids[0] ?? 0);
    return undefined;
  }

  /** The channel reports on something that it got: late, twice and in any order. */
  report(index: number, state: routing.ReportState): Promise<void> {
    const place = { applicationId: this.#applicationId, now: this.clock.now() };
    const { inboundEvents, bans } = this;
    return routing.reportOn(this.#options.store, bans, inboundEvents, { index, state }, place);
  }

  /** An integration fails from now on, or works again. */
  async setOutage(integration: number, outage: Outage | 'over'): Promise<void> {
    const id = this.#integration(integration);
    if (outage !== 'over') return void this.#outages.set(id, outage);
    this.#outages.delete(id);
    await this.setState(integration, 'enable');
  }

  /** Changes the time of a message, if it is still scheduled. */
  async reschedule(index: number, delay: number): Promise<void> {
    const one = this.accepted[index % Math.max(this.accepted.length, 1)];
    const { store } = this.#options;
    const current = one && (await store.messages.get(this.#applicationId, one.id));
    if (!current) return;
    const [now, { dueAt: before }] = [this.clock.now(), one];
    const dueAt = now + delay * 1000;
    // Set first if it comes earlier: the message may arrive before `change` returns.
    if (before !== undefined) one.dueAt = Math.min(before, dueAt);
    const isChanged = await store.schedule.change({ ...current, reason: null }, { dueAt }, now);
    one.dueAt = isChanged ? dueAt : before;
  }

  async setState(integration: number, state: 'enable' | 'disable'): Promise<void> {
    const id = this.#integration(integration);
    await this.#options.store.integrations.update(this.#applicationId, id, (current) => ({
      ...current,
      state,
    }));
    for (const { delivery } of this.#running()) delivery.changed(id);
  }

  /** A person stops messages, or resumes them. */
  consent(recipient: string, state: 'granted' | 'revoked'): Promise<void> {
    const [now, { store }] = [this.clock.now(), this.#options];
    return this.#stops.change(store, this.#applicationId, recipient, state, now);
  }

  /** A person writes, which opens the window for free text. */
  write(integration: number, recipient: string): Promise<void> {
    const integrationId = this.#integration(integration);
    const place = { applicationId: this.#applicationId, integrationId };
    return this.#windows.write(this.#options.store, place, recipient, this.clock.now());
  }

  /** A person has another address: what waits for them follows. */
  async changeAddress(integration: number): Promise<void> {
    const integrationId = this.#integration(integration);
    const place = { applicationId: this.#applicationId, integrationId };
    await this.#addresses.change(this.#options.store, place, this.clock.now());
    this.#wake(integrationId);
  }

  async cancel(index: number): Promise<void> {
    const one = this.accepted[index % Math.max(this.accepted.length, 1)];
    if (!one) return;
    const { lanes } = this.#options.store;
    const change = await lanes.cancel(this.#applicationId, one.id, this.clock.now());
    if (!change?.changed) return;
    // A message that a route had sent keeps that state, and one in flight is finished.
    one.isCanceled = !change.isKept;
    if (change.isKept) await this.bans.dropped(this.#options.store, this.#applicationId, one.id);
    this.#wake(change.integrationId);
  }

  async resend(index: number): Promise<void> {
    const one = this.accepted[index % Math.max(this.accepted.length, 1)];
    if (!one) return;
    const isMoving = one.recipient === MOVING;
    const hasPlace = !one.lanes && one.category === null && !isMoving;
    const place = hasPlace ? ++this.#places : Number.NaN;
    this.bans.lift(one.id);
    // Set first, because the message may reach the channel before `resend` returns.
    const before = { ...one };
    const lane = isMoving ? await this.#currentLane(one) : one.lane;
    const unset = { pool: undefined, isCanceled: false, dueAt: undefined };
    Object.assign(one, { lane, place, wasResent: true, ...unset });
    const { lanes } = this.#options.store;
    const change = await lanes.resend(this.#applicationId, one.id, this.clock.now());
    if (change?.changed) {
      this.#wake(change.integrationId);
      return;
    }
    // Not resent: it keeps its position, also if it arrived meanwhile.
    Object.assign(one, before);
    for (const inboundEvent of this.inboundEvents)
      if (inboundEvent.place === place) inboundEvent.place = before.place;
  }

  kill(index: number): void {
    this.nodes[index % Math.max(this.nodes.length, 1)]?.kill();
    this.nodes = this.nodes.filter((node) => !node.isDead);
  }

  /** Stops a node gracefully, unless it is the last. */
  leave(index: number): void {
    const staying = this.nodes.filter((node) => node.isRunning && !node.isLeaving);
    if (staying.length < 2) return;
    const node = staying[index % staying.length];
    void node?.leave().then(() => {
      this.nodes = this.nodes.filter((one) => one !== node);
    });
  }

  stop(index: number): void {
    this.nodes[index % Math.max(this.nodes.length, 1)]?.stop();
  }

  goOn(): void {
    for (const node of this.nodes) node.goOn();
  }

  /** Waits until all nodes are idle or wait for time to pass. */
  async quiet(): Promise<void> {
    for (let calm = 0; calm < 4;) {
      await new Promise((resolve) => setImmediate(resolve));
      const moves = this.nodes.some(
        ({ busy, isRunning, delivery }) => busy > 0 || (isRunning && !delivery.isQuiet),
      );
      calm = moves ? 0 : calm + 1;
    }
  }

  /** Ends all faults and advances the clock until every message is settled. */
  async finish(): Promise<Message[]> {
    this.#behaviours = ['sent'];
    this.#storeFaults = ['none'];
    this.#outages.clear();
    this.goOn();
    for (const i of this.#integrationIds.keys()) await this.setState(i, 'enable');
    if (!this.nodes.some((node) => !node.isLeaving)) await this.startNode();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      await this.quiet();
      const messages = await this.#messages();
      if (messages.every(({ state }) => isSettled(state))) return messages;
      // Small steps, because leases are short; and occasionally a large one, because retries may be far off.
      this.clock.advance(round >= 40 && round % 4 === 0 ? 3_600_000 : 1_000);
    }
    const left = (await this.#messages()).filter(({ state }) => !isSettled(state));
    assert.fail(`never settled: ${JSON.stringify(left)}`);
  }

  /** Advances the clock until integrations are shared evenly, and checks that ownership is stable from then on. */
  async settleDown(): Promise<void> {
    const pass = () => {
      this.clock.advance(1_000);
      return this.quiet();
    };
    await settleOwnership(this.#options.store, () => this.nodes, pass);
  }

  get #pool(): SimulatedPool {
    return (this.#simulatedPool ??= new SimulatedPool(
      this.#options.store,
      this.#applicationId,
      simulatedChannel(0, () => Promise.reject(new Error('it only describes the channel'))),
    ));
  }

  /** Violated invariants. */
  get faults(): readonly string[] {
    const usurped = this.#everyNode.flatMap((node) => node.usurped);
    const { inboundEvents: all } = this;
    const late = all.filter(({ lane, place }, i) =>
      all.slice(0, i).some((other) => other.lane === lane && other.place > place),
    );
    return [
      ...this.#faults,
      ...this.#stops.faults,
      ...late.map(
        ({ messageId }) => `message ${messageId}: sent after a later message of its lane`,
      ),
      ...overtaken(all).map((id) => `message ${id}: sent after a later message of its pool`),
      ...usurped.map((id) => `message ${id}: recorded by a node that did not own it`),
    ];
  }

  async end(): Promise<void> {
    for (const node of this.nodes) node.kill();
    await clearTables(this.#options.store);
  }

  #messages(): Promise<Message[]> {
    const ids = this.accepted.map(({ id }) => id);
    return this.#options.store.messages.getAll(this.#applicationId, ids);
  }

  async #currentLane({ id, integrationId }: Accepted): Promise<string> {
    const { store } = this.#options;
    const [message] = await store.messages.getAll(this.#applicationId, [id]);
    return this.#addresses.laneOf(integrationId, message?.recipient ?? '');
  }

  #integration(index: number): number {
    return this.#integrationIds[index % this.#integrationIds.length] ?? 0;
  }

  #running(): SimulatedNode[] {
    return this.nodes.filter((node) => node.isRunning);
  }

  #wake(integrationId: number): void {
    for (const { delivery } of this.#running()) delivery.wake(integrationId);
  }

  #channel(node: SimulatedNode): Channel {
    return simulatedChannel(this.#options.spacing, (...sent) => this.#arrive(node, ...sent));
  }

  async #arrive(
    node: SimulatedNode,
    message: OutboundMessage,
    signal: AbortSignal,
    isTemplate: boolean,
  ): Promise<Outcome> {
    const [messageId = 0, , part = 0, route = 0] = message.key.split(/[-.]/).map(Number);
    const one = this.accepted.find(({ id }) => id === messageId);
    const { place = 0, pool, lanes, text = '' } = one ?? {};
    const lane = lanes?.[route] ?? one?.lane ?? '';
    const integrationId = Number.parseInt(lane, 10);
    const usual = this.#behaviours[this.inboundEvents.length % this.#behaviours.length] ?? 'sent';
    const behaviour = this.#outages.get(integrationId) ?? usual;
    const isWhole = text.length <= MAX_TEXT;
    const arrived = { node, messageId, part, route, integrationId, vendorId: '', isWhole };
    const inboundEvent: InboundEvent = { ...arrived, lane, place, pool, behaviour, isOver: false };
    this.#check(inboundEvent, one, isTemplate);
    this.inboundEvents.push(inboundEvent);
    try {
      const outcome = await behave(behaviour, this.clock, signal);
      if (outcome.outcome !== 'sent' || outcome.id === undefined) return outcome;
      const id = `${messageId}-${this.inboundEvents.length}`;
      if (lanes) inboundEvent.vendorId = id;
      return { ...outcome, id };
    } finally {
      await node.runs();
      inboundEvent.isOver = true;
    }
  }

  /** Whether the window was closed all the time since the message was claimed. */
  #isClosedFor({ id, integrationId, recipient }: Accepted): boolean {
    const from = this.#stops.claimedAt(id);
    return this.#windows.isClosed(integrationId, recipient, from, this.clock.now());
  }

  /** Whether quiet hours forbade the message when it was claimed, and still do. */
  #isQuietFor({ id, recipient, category }: Accepted): boolean {
    const times = [this.#stops.claimedAt(id), this.clock.now()];
    return this.#quietHours.isQuiet(category, recipient, times);
  }

  /** Checks the invariants when a message reaches the channel. */
  #check(inboundEvent: InboundEvent, one: Accepted | undefined, isTemplate: boolean): void {
    const { node, messageId, lane, route, part } = inboundEvent;
    const fault = (what: string) => this.#faults.push(`message ${messageId}: ${what}`);
    if (one?.isCanceled) fault('sent after it was canceled');
    if (this.#stops.isSuppressed(messageId)) fault('sent although its recipient stopped it');
    if ((one?.dueAt ?? 0) > this.clock.now()) fault('sent before its time');
    if (one && !isTemplate && this.#isClosedFor(one)) fault('sent as free text in a closed window');
    if (this.bans.isBanned(messageId, route)) fault('sent by a route that must not start');
    if (one && part === 1 && this.#isQuietFor(one)) fault('sent in quiet hours');
    if (one?.template === 'vendor' && !isTemplate) fault('sent without its template');
    if (!node.isRunning) fault('sent by a suspended or dead process');
    if (this.clock.elapsed() >= node.renewedAt + LEASE_MS) fault('sent after the lease expired');
    if (
      this.inboundEvents.some(
        (other) => other.lane === lane && other.node === node && !other.isOver,
      )
    )
      fault('sent while another message of its lane was in flight');
  }
}
