import type { Chat } from '../channels/channel.ts';
import { textMember } from '../lib/json/json-member.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import type { Id } from '../model/id.ts';
import type { Integration } from '../model/integration.ts';
import type { ChatStatus, Conversation } from '../store/chat/chats.ts';
import type { Store } from '../store/store.ts';

/** Interval of checks for entries added by other nodes. */
const CHECK_INTERVAL_MS = 500;

/** Called with the latest state of a conversation. */
type Watcher = (status: ChatStatus) => void;

interface WatchedConversation extends Conversation {
  watchers: Set<Watcher>;
}

/** Conversations of the web chat, and notifications when they grow on any node. */
export class Conversations {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #posted: (integrationId: Id) => void;
  readonly #watched = new Map<string, WatchedConversation>();
  #cancel: (() => void) | undefined;
  #isClosed = false;

  /** `posted` is called for each integration whose chat grew on this node. */
  constructor(store: Store, clock: Clock, log: Log, posted: (integrationId: Id) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#posted = posted;
  }

  /** The conversations of an integration, for its channel. */
  chatOf({ id: integrationId, applicationId }: Pick<Integration, 'id' | 'applicationId'>): Chat {
    const { chats, chatFiles } = this.#store;
    return {
      post: async (visitor, key, body, mayBegin) => {
        const { reply, ...posted } = body;
        const replyTo = typeof reply === 'string' ? { replyTo: reply } : {};
        const where = { applicationId, integrationId, visitor };
        const entry = await chats.put(
          where,
          { id: key, author: 'application', body: JSON.stringify(posted), ...replyTo },
          mayBegin,
          this.#clock.now(),
        );
        if (entry) this.changed(where);
        return entry?.id;
      },
      update: async (visitor, id, body) => {
        const where = { applicationId, integrationId, visitor };
        const { reply: _, ...posted } = body ?? {};
        const text = body ? JSON.stringify(posted) : null;
        const isFound = await chats.change(where, id, text, this.#clock.now());
        if (isFound) this.changed(where);
        return isFound;
      },
      file: async (id) => {
        const file = await chatFiles.get({ applicationId, integrationId }, id);
        if (!file) return undefined;
        const { bytes, mediaType, name } = file;
        return { bytes: Buffer.from(bytes), mediaType, name };
      },
    };
  }

  /** Shows a typing indicator. Returns whether the visitor is known. */
  async type(where: Conversation): Promise<boolean> {
    const isKnown = await this.#store.chats.type(where, this.#clock.now());
    if (isKnown) this.changed(where);
    return isKnown;
  }

  /** Calls the watcher when the conversation may have new entries, until the returned function is called. */
  watch(where: Conversation, watcher: Watcher): () => void {
    const key = keyOf(where);
    const { applicationId, integrationId, visitor } = where;
    const place = { applicationId, integrationId, visitor };
    const watched = this.#watched.get(key) ?? { ...place, watchers: new Set() };
    this.#watched.set(key, watched);
    watched.watchers.add(watcher);
    this.#schedule();
    return () => {
      watched.watchers.delete(watcher);
      if (watched.watchers.size === 0) this.#watched.delete(key);
    };
  }

  /** Called when this node added an entry. */
  changed(where: Conversation): void {
    const watched = this.#watched.get(keyOf(where));
    if (watched) void this.#check([watched]);
    this.#posted(where.integrationId);
  }

  /** Called when another node added an entry. */
  changedElsewhere(integrationId: Id): void {
    const affected = [...this.#watched.values()].filter(
      (one) => one.integrationId === integrationId,
    );
    if (affected.length > 0) void this.#check(affected);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
  }

  #schedule(): void {
    if (this.#cancel || this.#isClosed) return;
    this.#cancel = this.#clock.after(CHECK_INTERVAL_MS, () => {
      void this.#check([...this.#watched.values()]).finally(() => {
        this.#cancel = undefined;
        if (this.#watched.size > 0) this.#schedule();
      });
    });
  }

  async #check(conversations: readonly WatchedConversation[]): Promise<void> {
    try {
      for (const status of await this.#store.chats.statuses(conversations)) {
        const { watchers } = this.#watched.get(keyOf(status)) ?? { watchers: [] };
        for (const watcher of watchers) watcher(status);
      }
    } catch (error) {
      if (this.#isClosed) return;
      this.#log.warn({ err: error }, 'store unavailable, retrying chat check');
    }
  }
}

const keyOf = ({ integrationId, visitor }: Conversation) => `${integrationId} ${visitor}`;

/** A button of an entry that sends a value when pressed. */
export function buttonOf(
  body: string | null,
  index: number,
): { name: string; value: string } | undefined {
  const { buttons }: { buttons?: unknown } = JSON.parse(body ?? '{}') as object;
  const button: unknown = Array.isArray(buttons) ? buttons[index] : undefined;
  const name = textMember(button, 'name');
  if (name === undefined || textMember(button, 'url') !== undefined) return undefined;
  return { name, value: textMember(button, 'value') ?? name };
}
