import type { Id } from '../model/id.ts';

/** What nodes tell each other. The number is that of an integration, or of an application. */
export const SIGNALS = ['due', 'free', 'changed', 'grown', 'behind', 'said'] as const;
export type Signal = (typeof SIGNALS)[number];

/** Whoever does something about what other nodes tell. */
export interface SignalListener {
  /** Something may be due for an integration, or it has changed. */
  due(integrationId: Id): void;
  /** Nobody owns the integration. */
  free(integrationId: Id): void;
  /** All integrations of an application may have changed. */
  changed(applicationId: Id): void;
  /** The feed of an application has grown. */
  grown(applicationId: Id): void;
  /** It has grown at a node that brings nothing forward to the endpoint. */
  behind(applicationId: Id): void;
  /** Something was said in the web chat of an integration. */
  said(integrationId: Id): void;
  /** Anything may have been told that was not heard. */
  missed(): void;
}

/**
 * How nodes wake each other. Nothing depends on it: whatever is told is in the store, and is found there a little
 * later by whoever has not heard of it.
 */
export interface Signals {
  /** Tells the other nodes, soon; what is told within a few milliseconds goes together. */
  tell(signal: Signal, id: Id): void;
  /** Hears what the others tell from now on, until the store is closed. */
  listen(listener: SignalListener): void;
}
