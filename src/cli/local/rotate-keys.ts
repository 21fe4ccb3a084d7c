import { renameSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

import { type Config, readConfig } from '../../config.ts';
import { isGone, thisHost } from '../../deliver/node-process.ts';
import { type RingKey, formatKeyRing, generateRingKey } from '../../lib/crypto/seal.ts';
import { systemClock } from '../../lib/runtime/clock.ts';
import { readRing, ringFile } from '../../setup.ts';
import type { KnownNode } from '../../store/delivery/ownerships.ts';
import type { Store } from '../../store/store.ts';
import { CliError } from '../exit.ts';
import { print } from '../print.ts';
import { withStore } from './with-store.ts';

/** Number of old keys that stay in a ring file, so that recent backups can be decrypted. */
const MAX_OLD_KEYS = 3;

/** Longer than a lease, and longer than a node takes to publish a key from the ring file. */
const NODES_TIMEOUT_MS = 12_000;
const POLL_INTERVAL_MS = 200;

/**
 * Re-encrypts everything with the first key of the ring; with a ring file, with a new key. Each step waits until every
 * live node can follow. Wherever a rotation stops, every node can decrypt every value, and it can be repeated.
 */
export async function rotateKeys(): Promise<void> {
  const config = readConfig(process.env);
  await withStore(async (store) => {
    await prepareRing(config, store);
    const { id, name } = await store.newestKey();
    const hasKey = ({ ring }: KnownNode) => ring?.split(',').includes(name) ?? false;
    await waitForNodes(store, hasKey, explainMissing(config, id));
    await store.resealRingMarker();
    const sealsWith = ({ ring }: KnownNode) => ring?.split(',')[0] === name;
    await waitForNodes(store, sealsWith, explainMissing(config, id));
    // The next pass finds values that a node encrypted with the old key in the meantime.
    let count = 0;
    for (;;) {
      const resealed = await store.resealAll();
      if (resealed === 0) break;
      count += resealed;
    }
    if (!config.secretKeys) trimRing(ringFile(config));
    print(
      `Re-encrypted ${count} secret${count === 1 ? '' : 's'}. Keep the older keys for as long as you keep older backups.`,
    );
  });
}

async function prepareRing(config: Config, store: Store): Promise<void> {
  const { id, isCurrent } = await store.newestKey();
  if (config.secretKeys) {
    print(`Encrypting with the first key of SWITCHBOARD_SECRET_KEYS, "${id}".`);
    return;
  }
  const file = ringFile(config);
  if (!isCurrent) {
    print(`Continuing with the key "${id}" of ${file}, added by an earlier rotation.`);
    return;
  }
  const added = generateRingKey();
  // Old keys stay until everything is encrypted with the new one.
  writeRing(file, [added, ...readRing(file)]);
  print(`Added the key "${added.id}" to ${file}.`);
}

function trimRing(file: string): void {
  const ring = readRing(file);
  if (ring.length > MAX_OLD_KEYS + 1) writeRing(file, ring.slice(0, MAX_OLD_KEYS + 1));
}

/** Renamed into place, so that no reader sees half a file. */
function writeRing(file: string, ring: readonly RingKey[]): void {
  writeFileSync(`${file}.new`, `${formatKeyRing(ring)}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}

/** Waits until the condition holds for every live node; otherwise refuses. */
async function waitForNodes(
  { ownerships }: Store,
  isReady: (node: KnownNode) => boolean,
  explain: (others: readonly KnownNode[]) => string,
): Promise<void> {
  const self = { id: '', host: thisHost() };
  const until = performance.now() + NODES_TIMEOUT_MS;
  for (;;) {
    const nodes = await ownerships.nodes(systemClock.now());
    const others = nodes.filter(
      (node) => node.leaseLeftMs > 0 && !isGone(node, self) && !isReady(node),
    );
    if (others.length === 0) return;
    if (performance.now() > until) throw new CliError(explain(others));
    await setTimeout(POLL_INTERVAL_MS);
  }
}

function explainMissing({ secretKeys }: Config, id: string) {
  return (nodes: readonly KnownNode[]) => {
    const list = nodes.map(({ host, pid }) => `${host.split(' ')[0]} (process ${pid})`).join(', ');
    const remedy = secretKeys
      ? `restart it with "${id}" in its SWITCHBOARD_SECRET_KEYS, before or after the keys it has`
      : 'restart it with the ring file of this store';
    return `the key "${id}" is missing on a running node: ${list}; ${remedy}, then run rotate-keys again. Nothing was re-encrypted`;
  };
}
