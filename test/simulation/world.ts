import assert from 'node:assert/strict';

import type { Channel, Outcome, OutboundMessage } from '../../src/channels/channel.ts';
import { LEASE_MS } from '../../src/deliver/ownership.ts';
import { type Message, isSettled } from '../../src/model/message.ts';
import { TestClock } from '../support/clock.ts';
import { type Behaviour, behave } from './behaviours.ts';
import { simulatedChannel } from './channel.ts';
import { SimulatedNode, type StoreFault } from './node.ts';
import type { Accepted, InboundEvent, WorldOptions } from './records.ts';
import * as routing from './routed.ts';
import { Stops, consentKeyOf } from './stops.ts';
import { SimulatedWindows, type TemplateUse, instructionsFor } from './windows.ts';

/** Tables to clear after a simulation. */
const TABLES = [
  'applications',
  'integrations',
  'outbox',
  'attempts',
  'routes',
  'parts',
  'lanes',
  'nodes',
  'ownerships',
  'consents',
  'consentChanges',
  'windows',
] as const;

const MAX_ROUNDS = 400;
const CALM_ROUNDS = 15;

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

  private constructor(options: WorldOptions) {
    this.#options = options;
    this.#behaviours = options.behaviours;
    this.#storeFaults = options.storeFaults;
  }

  static async create(options: WorldOptions): Promise<World> {
    const world = new World(options);
    const { store, uncertain } = options;
    const now = world.clock.now();
    const dated = { createdAt: now, updatedAt: now };
    world.#applicationId = await store.nextId();
    await store.applications.insert({
      id: world.#applicationId,
      teamId: 1,
      ownerId: 1,
      name: 'simulated',
      state: 'enable',
      webhookUrl: null,
      uncertain,
      ...dated,
    });
    for (let i = 0; i < options.integrations; i++) {
      const id = await store.nextId();
      const applicationId = world.#applicationId;
      const named = { name: 'simulated', mode: 'live', label: null, account: null } as const;
      const rest = { ...named, state: 'enable', credentials: {}, options: {} } as const;
      await store.integrations.insert({ id, applicationId, ...rest, ...dated });
      world.#integrationIds.push(id);
    }
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

  /** `delay` is the number of seconds until the message is due. */
  async accept(
    integration: number,
    recipient: string,
    text: string,
    { delay = 0, template = 'none' }: { delay?: number; template?: TemplateUse } = {},
  ): Promise<void> {
    const integrationId = this.#integration(integration);
    const object = { type: 'Note', content: text };
    const activity = JSON.stringify({ type: 'Create', object });
    const createdAt = this.clock.now();
    // The place of a scheduled message is known when it joins its lane; see `outOfOrder`.
    const place = delay === 0 ? ++this.#places : Number.NaN;
    const dueAt = delay === 0 ? undefined : createdAt + delay * 1000;
    const timed = { expiresAt: null, dueAt: dueAt ?? null, createdAt };
    const consentKey = consentKeyOf(recipient);
    const to = { applicationId: this.#applicationId, integrationId, recipient };
    const message = { ...to, activity, instructions: instructionsFor(template), consentKey };
    const [accepted] = await this.#options.store.messages.accept([
      { messages: [{ ...message, objectId: null, type: 'Create', ...timed }] },
    ]);
    assert.ok(accepted && !('repeated' in accepted));
    assert.equal('refused' in accepted, this.#stops.isStopped(recipient), 'accept and stop');
    if ('refused' in accepted) return;
    const [id = 0] = accepted.ids;
    const lane = `${integrationId} ${recipient}`;
    const made = { isCanceled: false, wasResent: false, integrationId, recipient, template };
    this.accepted.push({ id, lane, place, dueAt, ...made });
    if (dueAt === undefined) this.#wake(integrationId);
  }

  /** A message that goes through the other integration if the condition is not met in time. */
  async acceptRouted({ integration, ...given }: routing.RoutedStep): Promise<void> {
    const ids = [integration, integration + 1].map((each) => this.#integration(each));
    const place = { applicationId: this.#applicationId, createdAt: this.clock.now() };
    const submission = { messages: [routing.routedMessage(given, ids, place)] };
    const [accepted] = await this.#options.store.messages.accept([submission]);
    if (!accepted || !('ids' in accepted)) return;
    this.accepted.push(routing.acceptedRouted(accepted.ids[0] ?? 0, ids, given.recipient));
    this.#wake(ids[0] ?? 0);
  }

  /** The channel reports on something that it got: late, twice and in any order. */
  report(index: number, state: routing.ReportState): Promise<void> {
    const place = { applicationId: this.#applicationId, now: this.clock.now() };
    return routing.reportOn(this.#options.store, this.inboundEvents, index, state, place);
  }

  /** Changes the time of a message, if it is still scheduled. */
  async reschedule(index: number, delay: number): Promise<void> {
    const one = this.accepted[index % Math.max(this.accepted.length, 1)];
    if (!one) return;
    const now = this.clock.now();
    const dueAt = now + delay * 1000;
    const place = { applicationId: this.#applicationId, id: one.id, reason: null };
    const { dueAt: before } = one;
    // Set first if it comes earlier: the message may arrive before `change` returns.
    if (before !== undefined) one.dueAt = Math.min(before, dueAt);
    const isChanged = await this.#options.store.schedule.change(place, { dueAt }, now);
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

  async cancel(index: number): Promise<void> {
    const one = this.accepted[index % Math.max(this.accepted.length, 1)];
    if (!one) return;
    const { lanes } = this.#options.store;
    const change = await lanes.cancel(this.#applicationId, one.id, this.clock.now());
    if (!change?.changed) return;
    // A message that a route had sent keeps that state, and one in flight is finished.
    one.isCanceled = !change.isKept;
    this.#wake(change.integrationId);
  }

  async resend(index: number): Promise<void> {
    const one = this.accepted[index % Math.max(this.accepted.length, 1)];
    if (!one) return;
    const place = ++this.#places;
    // Set first, because the message may reach the channel before `resend` returns.
    const before = { ...one };
    Object.assign(one, { place, isCanceled: false, wasResent: true, dueAt: undefined });
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
    for (let round = 0; !(await this.#isEven()); round++) {
      assert.ok(round < MAX_ROUNDS, `never even: ${JSON.stringify(await this.#owners())}`);
      this.clock.advance(1_000);
      await this.quiet();
    }
    const before = await this.#owners();
    for (let round = 0; round < CALM_ROUNDS; round++) {
      this.clock.advance(1_000);
      await this.quiet();
    }
    assert.deepEqual(await this.#owners(), before, 'ownership changed although it was even');
  }

  #owners() {
    return this.#options.store.engine.db
      .selectFrom('ownerships')
      .select(['integrationId', 'node', 'fence'])
      .orderBy('integrationId')
      .execute();
  }

  async #isEven(): Promise<boolean> {
    const owners = await this.#owners();
    const counts = this.nodes.map(
      ({ delivery }) => owners.filter(({ node }) => node === delivery.node).length,
    );
    const isAll = counts.reduce((sum, count) => sum + count, 0) === owners.length;
    return isAll && Math.max(...counts) - Math.min(...counts) <= 1;
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
      ...usurped.map((id) => `message ${id}: recorded by a node that did not own it`),
    ];
  }

  async end(): Promise<void> {
    for (const node of this.nodes) node.kill();
    const { db } = this.#options.store.engine;
    for (const table of TABLES) await db.deleteFrom(table).execute();
  }

  #messages(): Promise<Message[]> {
    const ids = this.accepted.map(({ id }) => id);
    return this.#options.store.messages.getAll(this.#applicationId, ids);
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
    const behaviour =
      this.#behaviours[this.inboundEvents.length % this.#behaviours.length] ?? 'sent';
    const { place = 0, lanes } = one ?? {};
    const lane = lanes?.[route] ?? one?.lane ?? '';
    const integrationId = Number.parseInt(lane, 10);
    const arrived = { node, messageId, part, route, integrationId, vendorId: '' };
    const inboundEvent: InboundEvent = { ...arrived, lane, place, behaviour, isOver: false };
    this.#check(inboundEvent, one, isTemplate);
    this.inboundEvents.push(inboundEvent);
    try {
      const outcome = await behave(behaviour, this.clock, signal);
      if (outcome.outcome !== 'sent' || outcome.id === undefined || !lanes) return outcome;
      inboundEvent.vendorId = `${messageId}-${this.inboundEvents.length}`;
      return { ...outcome, id: inboundEvent.vendorId };
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

  /** Checks the invariants when a message reaches the channel. */
  #check(inboundEvent: InboundEvent, one: Accepted | undefined, isTemplate: boolean): void {
    const { node, messageId, lane } = inboundEvent;
    const fault = (what: string) => this.#faults.push(`message ${messageId}: ${what}`);
    if (one?.isCanceled) fault('sent after it was canceled');
    if (this.#stops.isSuppressed(messageId)) fault('sent although its recipient stopped it');
    if ((one?.dueAt ?? 0) > this.clock.now()) fault('sent before its time');
    if (one && !isTemplate && this.#isClosedFor(one)) fault('sent as free text in a closed window');
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
