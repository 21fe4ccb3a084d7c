import type { Socket } from 'node:net';

import type { Fetch } from '../lib/http/fetch.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import type { ExpiringValues } from '../lib/runtime/expiring-values.ts';
import type { Credentials } from '../model/integration.ts';
import type { Failure } from './outcome.ts';
import type { VendorRequest } from './request.ts';

/** A downloaded file, with the media type declared by its server. */
export interface Downloaded {
  bytes: Uint8Array;
  mediaType: string;
}

/** The maximum size of a downloaded file, or of several together. */
export interface DownloadLimit {
  maxBytes: number;
}

/** The services available to a channel. */
export interface Context {
  credentials: Credentials;
  /** The vendor's base URL: the channel's default, or `SWITCHBOARD_<CHANNEL>_URL`. */
  url: string;
  /** Channels need not catch a FetchFault: their caller classifies it. */
  fetch: Fetch;
  /** Downloads a file of the message, up to `maxBytes`. Returns the outcome of the send if that fails. */
  download(url: string, limit: DownloadLimit): Promise<Downloaded | Failure>;
  /** Downloads several files that share the limit, in order. */
  downloadAll(urls: readonly string[], limit: DownloadLimit): Promise<(Downloaded | Failure)[]>;
  /** Connects to a server that the tenant configured, for protocols other than HTTP. Rejects like `fetch`. */
  dial(host: string, port: number, options?: { tls?: boolean }): Promise<Socket>;
  /** Aborted at the deadline. `fetch` and `dial` observe it themselves. */
  signal: AbortSignal;
  clock: Clock;
  /**
   * State kept between sends: opened by the first call, returned by later ones, and closed when the node releases the
   * integration or its credentials change.
   */
  resource<Kept extends Closable>(open: () => Kept): Kept;
  /**
   * Stores credentials that the vendor replaced, encrypted, such as a single-use refresh token. State from `resource`
   * stays open.
   */
  storeCredentials(changed: Credentials): Promise<void>;
  /** Redacts a secret that is not among the credentials, such as a token in a URL. */
  redact(secret: string): void;
  /** The integration's webhook URL, for a vendor that takes one with each message; redacted in logs. */
  hookUrl?(): Promise<string | undefined>;
  /**
   * An unguessable text for the key of a message, the same at every attempt: for vendors whose reports are not signed
   * and quote an id that we choose.
   */
  tokenOf?(key: string): string;
  /** Where the recipient unsubscribes; set for marketing if the service has a public URL. */
  unsubscribeUrl?: string;
  /** Short-lived state that the webhook and the sends of an integration share on this node; it is never stored. */
  sharedState?(): ExpiringValues;
  /** The conversations of the integration, for the web chat, which has no vendor. */
  chat?: Chat;
}

/** Stores the messages of the web chat. */
export interface Chat {
  /**
   * Posts a message to a visitor, once per key, and returns its id. Returns undefined for an unknown visitor, unless
   * `mayBegin` allows the message to start a conversation.
   */
  post(
    visitor: string,
    key: string,
    body: VendorRequest['body'],
    mayBegin: boolean,
  ): Promise<string | undefined>;
  /** Replaces a message, or deletes it if there is no body. Returns whether the message existed. */
  update(visitor: string, id: string, body: VendorRequest['body'] | undefined): Promise<boolean>;
  /** A file sent by a visitor. */
  file(id: string): Promise<{ bytes: Buffer; mediaType: string; name: string } | undefined>;
}

export interface Closable {
  close(): void | Promise<void>;
}
