import type { InboundEvent, ReceivedMessage } from '../channels/inbound.ts';
import { webmessenger } from '../channels/webmessenger.ts';
import { mediaKind } from '../lib/http/media-kind.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import type { Integration } from '../model/integration.ts';
import type { ChatFileInfo } from '../store/chat/chat-files.ts';
import type { ChatStatus } from '../store/chat/chats.ts';
import type { Store } from '../store/store.ts';
import { type Conversations, buttonOf } from './conversations.ts';
import { type ClientFrame, type ServerFrame, entryId, readFrame, shown } from './frames.ts';
import { type ChatLimits, MAX_QUEUED_FRAMES } from './limits.ts';
import type { ConnectedVisitor } from './visitors.ts';

/** Entries per page of history, and per read of new entries. */
const PAGE_SIZE = 50;
const READ_BATCH = 100;
/** Lifetime of a typing indicator without an update. */
const TYPING_TTL_MS = 6_000;

export interface SessionOptions {
  store: Store;
  clock: Clock;
  limits: ChatLimits;
  conversations: Conversations;
  /** Stores a visitor's messages and read marks; resolves when they are on disk. */
  receive(integration: Integration, inboundEvents: readonly InboundEvent[]): Promise<void>;
}

/** The visitor's page. */
export interface Page {
  send(frame: ServerFrame): void;
  /** Closes the page: the visitor lost access, or sent an invalid frame. */
  dismiss(why: string): void;
  /** Closes the page after an internal error; it reconnects. */
  fail(error: unknown): void;
}

/** One open page of a visitor: handles its frames in order and sends new entries. */
export class Session {
  readonly #visitor: ConnectedVisitor;
  readonly #page: Page;
  readonly #options: SessionOptions;
  readonly #unwatch: () => void;
  #work: Promise<void> = Promise.resolve();
  #waiting = 0;
  /** The last version sent; undefined before hello. */
  #version: number | undefined;
  #last = 0;
  #typingAt = 0;
  #isPumping = false;
  #isOver = false;

  constructor(visitor: ConnectedVisitor, page: Page, options: SessionOptions) {
    this.#visitor = visitor;
    this.#page = page;
    this.#options = options;
    this.#unwatch = options.conversations.watch(visitor, (status) => this.#applyStatus(status));
  }

  /** Queues a frame of the page. */
  receive(text: string): void {
    const key = visitorKey(this.#visitor);
    const wait = this.#options.limits.take('frame', { visitor: key });
    if (wait > 0 || this.#waiting >= MAX_QUEUED_FRAMES)
      return this.#page.dismiss('too many frames');
    const frame = readFrame(text);
    if (!frame) return this.#page.dismiss('unreadable frame');
    this.#waiting++;
    this.#work = this.#work
      .then(async () => {
        if (!this.#isOver) await this.#do(frame);
      })
      .catch((error: unknown) => this.#page.fail(error))
      .finally(() => this.#waiting--);
  }

  /** Whether the visitor still has access. */
  async hasAccess(): Promise<boolean> {
    return (await this.#chat()) !== undefined;
  }

  close(): void {
    this.#isOver = true;
    this.#unwatch();
  }

  /** The chat, if the visitor has access. */
  async #chat(): Promise<Integration | undefined> {
    const { store, clock } = this.#options;
    const { integrationId, until } = this.#visitor;
    if (clock.now() >= until) return undefined;
    const found = await store.integrations.ofChannel(integrationId, webmessenger.name);
    return found?.state === 'enable' ? found : undefined;
  }

  async #do(frame: ClientFrame): Promise<void> {
    if ((frame.do === 'hello') !== (this.#version === undefined)) {
      return this.#page.dismiss('hello must come first, once');
    }
    switch (frame.do) {
      case 'hello':
        return this.#sendHistory(frame.after);
      case 'earlier': {
        const { chats } = this.#options.store;
        const entries = await chats.before(this.#visitor, frame.before, PAGE_SIZE);
        const hasMore = entries.length === PAGE_SIZE;
        return this.#page.send({ is: 'earlier', entries: entries.map(shown), hasMore });
      }
      case 'say':
      case 'press':
        return this.#storeMessage(frame);
      case 'delivered':
      case 'read':
        return this.#mark(frame.do, frame.number);
    }
  }

  async #sendHistory(after: number | undefined): Promise<void> {
    const { store, clock } = this.#options;
    await store.chats.addVisitor(this.#visitor, clock.now());
    // Read before the entries, so that later additions are sent afterwards.
    const status = await store.chats.status(this.#visitor);
    const { last = 0, read = 0 } = status ?? {};
    if (after !== undefined && after <= last) {
      this.#version = after;
      await this.#pump();
      this.#page.send({ is: 'resumed' });
    } else {
      const entries = await store.chats.before(this.#visitor, Number.MAX_SAFE_INTEGER, PAGE_SIZE);
      this.#version = last;
      const hasMore = entries.length === PAGE_SIZE;
      const history = { is: 'history', version: last, read, hasMore } as const;
      this.#page.send({ ...history, entries: entries.map(shown) });
    }
    if (status) this.#applyStatus(status);
  }

  /** Applies a new status of the conversation. */
  #applyStatus({ last, typingAt }: ChatStatus): void {
    if (this.#version === undefined || this.#isOver) return;
    this.#last = last;
    if (last > this.#version) this.#pump().catch((error: unknown) => this.#page.fail(error));
    const left = (typingAt ?? 0) + TYPING_TTL_MS - this.#options.clock.now();
    if (typingAt === null || typingAt <= this.#typingAt || left <= 0) return;
    this.#typingAt = typingAt;
    this.#page.send({ is: 'typing', seconds: Math.ceil(left / 1000) });
  }

  /** Sends all new entries in order. */
  async #pump(): Promise<void> {
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      for (;;) {
        const [version, last] = [this.#version ?? 0, this.#last];
        const entries = await this.#options.store.chats.after(this.#visitor, version, READ_BATCH);
        if (this.#isOver) return;
        for (const entry of entries) this.#page.send({ is: 'entry', entry: shown(entry) });
        this.#version = Math.max(version, entries.at(-1)?.version ?? 0);
        if (entries.length < READ_BATCH && this.#last <= this.#version) return;
        // The entries up to the version that was known before this read were deleted.
        if (entries.length === 0) this.#version = Math.max(this.#version, last);
      }
    } finally {
      this.#isPumping = false;
    }
  }

  async #storeMessage(frame: Extract<ClientFrame, { do: 'say' | 'press' }>): Promise<void> {
    const { store, clock, limits, conversations, receive } = this.#options;
    const { key } = frame;
    const integration = await this.#chat();
    if (!integration) return this.#page.dismiss('closed');
    const { address } = this.#visitor;
    const wait = limits.take('say', { visitor: visitorKey(this.#visitor), address });
    if (wait > 0) {
      const why = 'Too fast. Please wait a moment.';
      return this.#page.send({ is: 'refused', key, why, seconds: Math.ceil(wait / 1000) });
    }
    const content = frame.do === 'say' ? await this.#textOf(frame) : await this.#pressOf(frame);
    if ('why' in content) return this.#page.send({ is: 'refused', key, why: content.why });
    const now = clock.now();
    const id = entryId(this.#visitor.visitor, key);
    const { visitor, name, signed } = this.#visitor;
    const from = {
      id: visitor,
      ...(name !== undefined && { name }),
      ...(signed && { signedId: visitor }),
    };
    // The application gets the message before the page does: a message shown as sent has arrived. If a step in
    // between fails, the page repeats the message under the same key.
    await receive(integration, [
      { what: 'message', key: id, id, at: now, from, ...content.received },
    ]);
    const body = JSON.stringify(content.body);
    const { replyTo } = content.received;
    const reply = replyTo === undefined ? {} : { replyTo };
    const entry = await store.chats.put(
      this.#visitor,
      { id, author: 'visitor', body, ...reply },
      true,
      now,
    );
    if (!entry) return;
    this.#page.send({ is: 'said', key, number: entry.number });
    conversations.changed(this.#visitor);
  }

  async #textOf({
    text,
    files: ids,
  }: Extract<ClientFrame, { do: 'say' }>): Promise<VisitorContent> {
    const found = await this.#options.store.chatFiles.list(this.#visitor, ids);
    const files = ids.flatMap((id) => found.find((file) => file.id === id) ?? []);
    if (files.length < ids.length) return { why: 'The file no longer exists.' };
    const received = {
      ...(text !== '' && { text }),
      ...(files.length > 0 && { media: files.map(receivedFile) }),
    };
    const shownFiles = files.map(({ id, name, mediaType, size }) => ({
      id,
      name,
      mediaType,
      size,
    }));
    return {
      received,
      body: {
        ...(text !== '' && { text: [{ text }] }),
        ...(files.length > 0 && { files: shownFiles }),
      },
    };
  }

  async #pressOf({
    entry: number,
    button: index,
  }: Extract<ClientFrame, { do: 'press' }>): Promise<VisitorContent> {
    const entry = await this.#options.store.chats.get(this.#visitor, number);
    const button = buttonOf(entry?.body ?? null, index);
    if (!entry || !button) return { why: 'This button no longer works.' };
    return { received: { button, replyTo: entry.id }, body: { text: [{ text: button.name }] } };
  }

  /** Stores the visitor's delivery or read mark. */
  async #mark(what: 'delivered' | 'read', upTo: number): Promise<void> {
    const { store, receive } = this.#options;
    const status = await store.chats.status(this.#visitor);
    const integration = await this.#chat();
    if (!status || !integration) return;
    const number = Math.min(upTo, status.last);
    if (number <= status[what]) return;
    const ids = await store.chats.idsWithin(this.#visitor, status[what], number);
    await receive(
      integration,
      ids.map((id) => ({ what: 'receipt', id, state: what })),
    );
    await store.chats.markUpTo(this.#visitor, what, number);
  }
}

/** The content of a visitor's message, for the application and for the page; or why it is refused. */
type VisitorContent =
  | { received: Pick<ReceivedMessage, 'text' | 'media' | 'button' | 'replyTo'>; body: object }
  | { why: string };

const receivedFile = ({ id, name, mediaType }: ChatFileInfo) => ({
  type: mediaKind(mediaType),
  reference: id,
  mediaType,
  name,
});

export const visitorKey = ({
  integrationId,
  visitor,
}: Pick<ConnectedVisitor, 'integrationId' | 'visitor'>) => `${integrationId} ${visitor}`;
