import { renameSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

import { type Config, readConfig } from '../config.ts';
import { isGone, thisHost } from '../deliver/processes.ts';
import { systemClock } from '../lib/clock.ts';
import { type RingKey, formatKeyRing, generateRingKey } from '../lib/seal.ts';
import { readRing, ringFile } from '../setup.ts';
import type { KnownNode } from '../store/ownerships.ts';
import type { Store } from '../store/store.ts';
import { CliError } from './exit.ts';
import { print } from './print.ts';
import { withStore } from './with-store.ts';

/** How many keys of the past a ring file keeps, so that backups of late can still be opened. */
const KEPT = 3;

/** Longer than a lease, and than a node takes to publish a key that it finds in the ring file. */
const NODES_WAIT_MS = 12_000;
const LOOK_EVERY_MS = 200;

/**
 * Makes the first key of the ring the one that everything is sealed with; with a ring file, a new key. Each step waits until
 * every live node can follow it, and can be repeated: whatever step it ends at, every value can be opened by every node.
 */
export async function rotateKeys(): Promise<void> {
  const config = readConfig(process.env);
  await withStore(async (store) => {
    await prepareRing(config, store);
    const { id, name } = await store.newestKey();
    const has = ({ ring }: KnownNode) => ring?.split(',').includes(name) ?? false;
    await allNodes(store, has, lacking(config, id));
    await store.moveRing();
    const sealsWith = ({ ring }: KnownNode) => ring?.split(',')[0] === name;
    await allNodes(store, sealsWith, lacking(config, id));
    // A value that was sealed with the older key just before is found by the next pass.
    let count = 0;
    for (;;) {
      const anew = await store.resealAll();
      if (anew === 0) break;
      count += anew;
    }
    if (!config.secretKeys) trimRing(ringFile(config));
    print(
      `Sealed ${count} secret${count === 1 ? '' : 's'} anew. Keep the older keys for as long as you keep older backups.`,
    );
  });
}

async function prepareRing(config: Config, store: Store): Promise<void> {
  const { id, isCurrent } = await store.newestKey();
  if (config.secretKeys) {
    print(`Sealing with the first key of SWITCHBOARD_SECRET_KEYS, "${id}".`);
    return;
  }
  const file = ringFile(config);
  if (!isCurrent) {
    print(`Going on with the key "${id}" of ${file}, which an earlier rotation added.`);
    return;
  }
  const made = generateRingKey();
  // All older keys stay until everything is sealed with this one.
  writeRing(file, [made, ...readRing(file)]);
  print(`Added the key "${made.id}" to ${file}.`);
}

function trimRing(file: string): void {
  const ring = readRing(file);
  if (ring.length > KEPT + 1) writeRing(file, ring.slice(0, KEPT + 1));
}

/** Renamed into place, so that nobody ever reads half of it. */
function writeRing(file: string, ring: readonly RingKey[]): void {
  writeFileSync(`${file}.new`, `${formatKeyRing(ring)}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}

/** Waits until it is so for every live node; refuses to go on otherwise. */
async function allNodes(
  { ownerships }: Store,
  isSo: (node: KnownNode) => boolean,
  refusal: (others: readonly KnownNode[]) => string,
): Promise<void> {
  const own = { id: '', host: thisHost() };
  const until = performance.now() + NODES_WAIT_MS;
  for (;;) {
    const nodes = await ownerships.nodes(systemClock.now());
    const others = nodes.filter((node) => node.left > 0 && !isGone(node, own) && !isSo(node));
    if (others.length === 0) return;
    if (performance.now() > until) throw new CliError(refusal(others));
    await setTimeout(LOOK_EVERY_MS);
  }
}

function lacking({ secretKeys }: Config, id: string) {
  return (nodes: readonly KnownNode[]) => {
    const named = nodes.map(({ host, pid }) => `${host.split(' ')[0]} (process ${pid})`).join(', ');
    const remedy = secretKeys
      ? `restart it with "${id}" in its SWITCHBOARD_SECRET_KEYS, before or after the keys it has`
      : 'restart it with the ring file of this store';
    return `the key "${id}" is missing on a running node: ${named}; ${remedy}, then run rotate-keys again. Nothing was sealed anew`;
  };
}
