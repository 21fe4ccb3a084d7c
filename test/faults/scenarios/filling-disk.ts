import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { call } from '../../support/programs/command.ts';
import { until } from '../../support/until.ts';
import { type Kept, Load, type Progress } from './load.ts';
import { Nodes } from './nodes.ts';

/*
 * Under load, the disk of the embedded store is full for a while, or refuses writes. The service refuses requests with
 * 503, keeps what it accepted, and resumes by itself when there is space again.
 */
export type DiskFault = 'full' | 'errors';

export interface DiskOptions {
  fault: DiskFault;
  rounds: number;
  /** Minimum number of messages accepted between two rounds. */
  messages: number;
  progress: Progress;
}

export interface DiskReport extends Kept {
  fault: DiskFault;
  rounds: number;
  /** Longest time from the end of the fault until the first message is accepted. */
  longestUntilAccepted: number;
  refused: Record<string, number>;
}

/** Maximum messages in flight of one integration. */
const CONCURRENCY = 8;
const MEGABYTE = Buffer.alloc(1024 * 1024);

interface Disk extends Disposable {
  folder: string;
  breakDown(pid: number): void;
  mend(pid: number): void;
}

export async function fillDisk(options: DiskOptions): Promise<DiskReport> {
  const { fault, rounds, messages, progress } = options;
  using disk = fault === 'full' ? smallDisk() : refusingDisk();
  const database = join(disk.folder, 'switchboard.db');
  await using load = await Load.open('sqlite', { database });
  const nodes = await Nodes.start(load.cli, 1);
  await load.prepare(nodes.newest);
  const pid = nodes.running[0]?.process.child.pid ?? 0;
  let isEnough = false;
  const writing = load.write(nodes.url, () => isEnough);
  let longest = 0;
  for (let round = 1; round <= rounds; round++) {
    const before = load.accepted.size;
    await until('load', () => load.accepted.size >= before + messages, 120_000);
    const refused = load.refused.get(503) ?? 0;
    disk.breakDown(pid);
    await until('it refuses', () => (load.refused.get(503) ?? 0) >= refused + 20, 60_000);
    assert.equal((await call(nodes.url(), 'GET', '/healthz')).status, 200, 'the process is alive');
    await until('it is not ready', async () => !(await isReady(nodes.url())), 30_000);
    const [first] = load.accepted.values();
    const token = load.applications[0]?.token ?? '';
    const shown = await call(nodes.url(), 'GET', `/1/messages/${first?.id}`, { token });
    assert.ok([200, 404].includes(shown.status), 'messages can still be read');
    const accepted = load.accepted.size;
    disk.mend(pid);
    const since = performance.now();
    await until('a message is accepted', () => load.accepted.size > accepted, 60_000);
    longest = Math.max(longest, performance.now() - since);
    await until('it is ready again', () => isReady(nodes.url()), 30_000);
    progress(`${round}/${rounds} rounds, ${load.accepted.size} accepted`);
  }
  isEnough = true;
  await writing;
  await load.settled(nodes.url);
  const kept = await load.judge(nodes.url());
  await nodes.stop();
  const report = {
    fault,
    rounds,
    ...kept,
    longestUntilAccepted: Math.round(longest),
    refused: Object.fromEntries(load.refused),
  };
  const summary = JSON.stringify(report);
  assert.deepEqual([kept.lost, kept.heldDuplicates], [0, 0], summary);
  assert.ok(kept.duplicates <= rounds * CONCURRENCY * load.applications.length, summary);
  for (const status of load.refused.keys()) assert.equal(status, 503, summary);
  using db = new DatabaseSync(database, { readOnly: true });
  assert.equal(db.prepare('pragma integrity_check').get()?.['integrity_check'], 'ok');
  return report;
}

const isReady = async (url: string) => (await call(url, 'GET', '/readyz')).status === 200;

/** Whether this user may mount a small disk. */
export function maySmallDisk(): boolean {
  try {
    smallDisk()[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
}

/** A separate small disk, which a large file fills. */
function smallDisk(): Disk {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-disk-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128m', 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    remove();
    throw error;
  }
  const filler = join(folder, 'filler');
  return {
    folder,
    breakDown() {
      const file = openSync(filler, 'w');
      try {
        // Down to the last byte, because a database page needs only a few.
        for (let size = MEGABYTE.length; size >= 1;) {
          try {
            writeSync(file, MEGABYTE, 0, size);
          } catch {
            size = Math.floor(size / 2);
          }
        }
      } finally {
        closeSync(file);
      }
    },
    mend: () => rmSync(filler),
    [Symbol.dispose]() {
      execFileSync('umount', ['-l', folder]);
      remove();
    },
  };
}

/** An ordinary folder; while broken, a resource limit lets the process write only the first 4 KiB of a file. */
function refusingDisk(): Disk {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-disk-'));
  const limit = (pid: number, size: string) =>
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${size}:unlimited`]);
  return {
    folder,
    breakDown: (pid) => void limit(pid, '4096'),
    mend: (pid) => void limit(pid, 'unlimited'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
