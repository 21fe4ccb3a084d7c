import type { Id } from '../../model/id.ts';

/** Signals between nodes. The id is that of an integration or an application. */
export const SIGNALS = ['due', 'free', 'changed', 'feed', 'forward', 'chat'] as const;
export type Signal = (typeof SIGNALS)[number];

/** Receives the signals of other nodes. */
export interface SignalListener {
  /** Something may be due for the integration, or it changed. */
  due(integrationId: Id): void;
  /** The integration has no owner. */
  free(integrationId: Id): void;
  /** All integrations of the application may have changed. */
  changed(applicationId: Id): void;
  /** The feed of the application has new events. */
  feed(applicationId: Id): void;
  /** New events wait for the webhook, and the node that stored them does not deliver. */
  forward(applicationId: Id): void;
  /** The web chat of the integration has a new entry. */
  chat(integrationId: Id): void;
  /** Signals may have been lost. */
  missed(): void;
}

/**
 * Wakes other nodes. Nothing depends on it: everything signaled is in the store, and nodes that miss a signal find it
 * there by polling.
 */
export interface Signals {
  /** Signals the other nodes soon; signals within a few milliseconds are sent together. */
  send(signal: Signal, id: Id): void;
  /** Receives signals of the others until the store is closed. */
  listen(listener: SignalListener): void;
}
