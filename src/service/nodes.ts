import type { Delivery } from '../deliver/delivery.ts';
import { Ownership } from '../deliver/ownership.ts';
import type { Id } from '../model/id.ts';
import type { Signal } from '../store/delivery/signals.ts';
import type { Core } from './core.ts';
import type { Part } from './lifecycle.ts';

/** Sends signals to the other nodes, if there are any. */
export function buildSignals(
  { store }: Core,
  hasPeers: () => boolean,
): (signal: Signal, id: Id) => void {
  const { signals } = store.engine;
  return (signal, id) => {
    if (hasPeers()) signals?.send(signal, id);
  };
}

/** Registers a node that only serves the API, so that the other nodes send it signals. */
export function buildRegistration(
  { store, clock, log, config }: Core,
  delivery: Delivery | undefined,
): (Part & { hasPeers: boolean }) | undefined {
  if (delivery) return undefined;
  const ownership = new Ownership({ store, clock, log, role: config.role });
  return {
    get hasPeers() {
      return ownership.hasPeers;
    },
    start: () => void ownership.claim(),
    stop: () => ownership.stop(),
  };
}
