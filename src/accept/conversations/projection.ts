import type { Clock } from '../../lib/runtime/clock.ts';
import type { Log } from '../../lib/telemetry/log.ts';
import { storable } from '../../lib/text/storable.ts';
import { CHAT_EVENTS, type Event } from '../../model/event.ts';
import type { Id } from '../../model/id.ts';
import type { ConversationChange } from '../../model/people/conversation.ts';
import type { Store } from '../../store/store.ts';

/** Events per transaction. */
const BATCH_SIZE = 1_000;
/** Batches that a reader waits for. */
const MAX_BATCHES_PER_READ = 20;
/** The time in which events gather for one batch. */
const GATHER_MS = 1_000;
/** Longer recipients have no conversation. */
const MAX_RECIPIENT_BYTES = 1024;
/** Longer names are cut. */
const MAX_NAME_LENGTH = 200;

/** Updates the conversations of applications from their feeds. */
export class ConversationProjection {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #changed = new Set<Id>();
  #cancel: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(store: Store, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** Call when the feed of an application has a new event. */
  changed(applicationId: Id): void {
    if (this.#isStopped) return;
    this.#changed.add(applicationId);
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#running;
  }

  /**
   * Brings the conversations of an application up to date, and keeps them up to date from now on. Returns false if this
   * takes longer than a reader should wait; it then continues in the background.
   */
  async catchUp(applicationId: Id): Promise<boolean> {
    if ((await this.#store.conversations.cursor(applicationId)) === undefined) {
      await this.#store.conversations.start(applicationId);
    }
    for (let batch = 0; batch < MAX_BATCHES_PER_READ; batch++) {
      if (await this.#project(applicationId)) return true;
    }
    this.changed(applicationId);
    return false;
  }

  /** Applies one batch; returns whether the conversations contain the whole feed. */
  async #project(applicationId: Id): Promise<boolean> {
    const { conversations, events } = this.#store;
    const from = await conversations.cursor(applicationId);
    if (from === undefined) return true;
    const { events: batch, upTo } = await events.next(applicationId, from, BATCH_SIZE);
    if (upTo <= from) return true;
    const range = { from, to: upTo, count: batch.length };
    await conversations.apply(applicationId, range, changesOf(batch));
    return false;
  }

  #schedule(): void {
    if (this.#cancel || this.#running || this.#isStopped) return;
    this.#cancel = this.#clock.after(GATHER_MS, () => {
      this.#cancel = undefined;
      this.#running = this.#run().finally(() => {
        this.#running = undefined;
        if (this.#changed.size > 0) this.#schedule();
      });
    });
  }

  async #run(): Promise<void> {
    const changed = [...this.#changed];
    for (const applicationId of changed) {
      if (this.#isStopped) return;
      this.#changed.delete(applicationId);
      try {
        if (!(await this.#project(applicationId))) this.#changed.add(applicationId);
      } catch (error) {
        this.#changed.add(applicationId);
        this.#log.warn({ err: error }, 'updating conversations failed, retrying');
        return;
      }
    }
  }
}

/** The states of a sent message that make it the last one of its conversation. */
const SENT: ReadonlySet<string> = new Set([
  'message.sent',
  'message.failed',
  'message.uncertain',
  'message.suppressed',
]);

function changesOf(events: readonly Event[]): ConversationChange[] {
  const changes = new Map<string, ConversationChange>();
  for (const event of events) {
    const place = placeOf(event);
    if (!place || Buffer.byteLength(place.recipient) > MAX_RECIPIENT_BYTES) continue;
    const { integrationId, recipient, messageId } = place;
    const key = `${integrationId} ${recipient}`;
    const change = changes.get(key) ?? {
      integrationId,
      recipient,
      name: null,
      unread: 0,
      lastAt: 0,
      lastEvent: null,
      lastMessage: null,
      received: [],
    };
    changes.set(key, change);
    change.lastAt = Math.max(change.lastAt, event.createdAt);
    change.name = place.name ?? change.name;
    if (messageId === undefined) {
      if (event.type === 'message.received') {
        change.unread++;
        change.lastEvent = event.id;
      }
      change.received.push({ id: event.id, at: event.createdAt });
    } else {
      change.lastMessage = Math.max(change.lastMessage ?? 0, messageId);
    }
  }
  // In one order, so that two nodes cannot deadlock.
  return [...changes.values()].toSorted(
    (a, b) => a.integrationId - b.integrationId || compare(a.recipient, b.recipient),
  );
}

const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

interface ReceivedData {
  generator: { id: string };
  actor: { id: string; name?: unknown };
  target?: { type?: unknown; name?: unknown };
}

/** In a room, the actor has the name of the person who wrote. */
function nameIn({ actor, target }: ReceivedData): string | undefined {
  const { name } = target?.type === 'Group' ? target : actor;
  if (typeof name !== 'string' || name.trim() === '') return undefined;
  return storable(name.trim().slice(0, MAX_NAME_LENGTH));
}

interface SentData {
  id: Id;
  integration_id: Id;
  to: string;
}

function placeOf({ type, data }: Event) {
  if (CHAT_EVENTS.has(type)) {
    const received = JSON.parse(data) as ReceivedData;
    const { generator, actor } = received;
    const integrationId = Number(generator.id);
    return { integrationId, recipient: actor.id, name: nameIn(received), messageId: undefined };
  }
  if (!SENT.has(type)) return undefined;
  const { id, integration_id: integrationId, to } = JSON.parse(data) as Partial<SentData>;
  // An event that names no place must not stop the conversations of the application.
  if (id === undefined || integrationId === undefined || to === undefined) return undefined;
  return { integrationId, recipient: to, name: undefined, messageId: id };
}
