import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

import { Running } from '../support/programs/command.ts';
import { commandsInGroup } from '../support/programs/processes.ts';
import { until } from '../support/until.ts';

const RUN = fileURLToPath(new URL('../../bench/run.ts', import.meta.url));
const bench = (folder: string, ...args: string[]) =>
  new Running(args, folder, {
    launcher: [process.execPath, RUN],
    environment: { PATH: process.env['PATH'] ?? '', TMPDIR: folder },
  });

const runningWith = ({ child }: Running) => commandsInGroup(child.pid ?? 0);

it('an interrupted benchmark leaves no process or file behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-test-'));
  try {
    // As root, PostgreSQL runs as the user nobody, who needs access.
    chmodSync(folder, 0o755);
    await using running = bench(folder, 'takeover');
    const services = () =>
      runningWith(running).filter((line) => line.includes('switchboard.js serve'));
    await until('a service runs', () => services().length > 0);
    assert.ok(readdirSync(folder).some((name) => name.startsWith('switchboard-pg-')));
    running.kill('SIGTERM');
    const { code } = await running.exited;
    assert.equal(code, 143);
    assert.deepEqual(runningWith(running), []);
    assert.deepEqual(readdirSync(folder), []);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('an unknown benchmark or option is refused with a usage line', async () => {
  for (const [args, words] of [
    [['latencies'], /"latencies"[^]*\blatency\b/],
    [['latency', '--rounds', 'many'], /--rounds many/],
    [['latency', '--round', '3'], /--round/],
  ] as const) {
    await using running = bench(tmpdir(), ...args);
    const { code, stdout, stderr } = await running.exited;
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.match(stderr, words);
  }
});
