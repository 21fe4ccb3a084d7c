import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

import type { Node } from '../store/schema.ts';

/** The nodes of this process; only tests run several. */
const localNodes = new Set<string>();

/** Registers a node of this process. Call the returned function when it ends. */
export function registerNode(id: string): () => void {
  localNodes.add(id);
  return () => void localNodes.delete(id);
}

/** Whether the node was a process on this host that certainly no longer runs, so that nobody need wait for the end of its lease. */
export function isGone({ id, host, pid }: Node, own: Pick<Node, 'id' | 'host'>): boolean {
  if (host !== own.host || id === own.id) return false;
  return pid === process.pid ? !localNodes.has(id) : !isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/**
 * Identifies the scope in which process ids are unique: one boot of one machine, and one PID namespace. The boot id is
 * needed because machines may share a host name, and the first namespace has the same number on all of them. Where the
 * scope is unknown, the result equals no other, so no node of another process is taken for one that is gone.
 */
export function thisHost(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()} ${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return `${hostname()} ${randomUUID()}`;
  }
}
