import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

import type { Node } from '../store/schema.ts';

/** The nodes that run in this very process; there are several in tests only. */
const here = new Set<string>();

/** A node of this process, until it says that it has ended. */
export function enterNode(id: string): () => void {
  here.add(id);
  return () => void here.delete(id);
}

/** Whether that is a process of this machine that is gone for certain: its lease need not lapse first. */
export function isGone({ id, host, pid }: Node, own: Pick<Node, 'id' | 'host'>): boolean {
  if (host !== own.host || id === own.id) return false;
  return pid === process.pid ? !here.has(id) : !isAlive(pid);
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
 * Where process ids mean the same: one run of one machine, and one container of it. Machines may share a name,
 * and the processes of each machine begin in a namespace of the same number.
 */
export function thisHost(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()} ${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return `${hostname()} ${randomUUID()}`;
  }
}
