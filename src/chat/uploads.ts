import { randomBytes } from 'node:crypto';

import type { Clock } from '../lib/runtime/clock.ts';
import { fileName } from '../lib/text/file-name.ts';
import { Problem } from '../model/problem.ts';
import type { ChatFileInfo } from '../store/chat/chat-files.ts';
import type { Conversation } from '../store/chat/chats.ts';
import type { ChatFile } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { type ChatLimits, MAX_FILES } from './limits.ts';
import { visitorKey } from './session.ts';
import { type Visitor, tooFast } from './visitors.ts';

const MEDIA_TYPE = /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,99}$/;
const UNKNOWN = 'application/octet-stream';

interface UploadsOptions {
  store: Store;
  clock: Clock;
  limits: ChatLimits;
  /** Maximum total size of the files of one integration, in bytes. */
  maxBytes: number;
}

interface GivenFile {
  bytes: Buffer;
  name: string;
  mediaType: string;
}

/** Files uploaded by visitors, and by applications for a conversation on any channel. */
export class Uploads {
  readonly #options: UploadsOptions;

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  /** Stores a visitor's file for a later message. Throws if it is not allowed. */
  async take(visitor: Visitor, file: GivenFile, address: string): Promise<ChatFileInfo> {
    const wait = this.#options.limits.take('upload', { visitor: visitorKey(visitor), address });
    if (wait > 0) throw tooFast(wait);
    return this.add(visitor, file);
  }

  /** The same for a file of the application. */
  async add(
    { applicationId, integrationId, visitor }: Conversation,
    { bytes, name, mediaType }: GivenFile,
  ): Promise<ChatFileInfo> {
    const { store, clock, maxBytes } = this.#options;
    const place = { applicationId, integrationId, visitor };
    if (bytes.length === 0) throw new Problem('empty_body', 'the file is empty');
    const { visitorFiles, bytes: used } = await store.chatFiles.usage(place);
    if (visitorFiles >= MAX_FILES) {
      throw new Problem('chat_full', `the conversation already has ${MAX_FILES} files`);
    }
    if (used + bytes.length > maxBytes) {
      throw new Problem('chat_full', 'the file storage of this integration is full');
    }
    const [declaredType = ''] = mediaType.toLowerCase().split(';', 1);
    const type = MEDIA_TYPE.test(declaredType.trim()) ? declaredType.trim() : UNKNOWN;
    const info = {
      id: randomBytes(16).toString('base64url'),
      ...place,
      name: fileName('', name, type),
      mediaType: type,
      size: bytes.length,
      createdAt: clock.now(),
    };
    await store.chatFiles.insert({ ...info, bytes });
    return info;
  }

  /** A file of the visitor; undefined if it belongs to someone else. */
  async get(visitor: Visitor, id: string): Promise<ChatFile | undefined> {
    const file = await this.#options.store.chatFiles.get(visitor, id);
    return file?.visitor === visitor.visitor ? file : undefined;
  }
}
