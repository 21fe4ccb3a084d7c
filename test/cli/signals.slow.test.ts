import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

import { VERSION } from '../../src/lib/runtime/version.ts';
import { call, commandLine } from '../support/programs/command.ts';

const LAUNCHER = fileURLToPath(new URL('../../bin/switchboard.js', import.meta.url));

/** The machine's own Node, which may be older than ours; ours if there is no other. */
function machineNode(): string {
  const path = (process.env['PATH'] ?? '')
    .split(':')
    .filter((folder) => !folder.includes('node_modules') && folder !== dirname(process.execPath))
    .join(':');
  try {
    return execFileSync('/bin/sh', ['-c', 'command -v node'], { env: { PATH: path } })
      .toString()
      .trim();
  } catch {
    return process.execPath;
  }
}

const launcher = [machineNode(), LAUNCHER] as const;

it('runs on the bundled Node.js with any Node.js on the machine', async () => {
  await using cli = await commandLine('sqlite');
  const version = await cli.run(['--version'], { launcher });
  assert.deepEqual([version.code, version.stdout, version.stderr], [0, `${VERSION}\n`, '']);
  const token = await cli.run(['token'], { launcher });
  assert.deepEqual([token.code, token.stderr], [0, '']);
  const unknown = await cli.run(['token', '--application', '1'], { launcher });
  assert.deepEqual([unknown.code, unknown.stdout], [3, '']);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  it(`passes ${signal} on, so that the service stops gracefully`, async () => {
    await using cli = await commandLine('sqlite');
    const serving = await cli.serve({ launcher });
    const { code, stdout } = await serving.stop(signal);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`"signal":"${signal}","msg":"stopping"`));
    assert.match(stdout, /"msg":"stopped"/);
    await assert.rejects(call(serving.url, 'GET', '/healthz'));
  });
}

it('treats one Ctrl-C, which reaches both launcher and service, as one signal', async () => {
  await using cli = await commandLine('sqlite');
  const { process: running } = await cli.serve({ launcher });
  running.signalAll('SIGINT');
  const { code, stdout } = await running.exited;
  assert.equal(code, 0);
  assert.match(stdout, /"msg":"stopped"/);
});

it('exits at once on a second SIGINT', async () => {
  await using cli = await commandLine('sqlite', { SWITCHBOARD_STOP_TIMEOUT: '600' });
  const { process: running, url } = await cli.serve();
  // An unfinished request delays the stop.
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write('POST /1/message HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n');
  await call(url, 'GET', '/healthz');
  running.kill('SIGINT');
  await running.printed('stdout', /"msg":"stopping"/);
  const pressing = setInterval(() => running.kill('SIGINT'), 100);
  const { code, stdout } = await running.exited;
  clearInterval(pressing);
  socket.destroy();
  assert.equal(code, 130);
  assert.doesNotMatch(stdout, /"msg":"stopped"/);
});
