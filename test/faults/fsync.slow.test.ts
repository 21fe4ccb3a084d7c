import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

import { MAIN, call, commandLine, makeApplication, note } from '../support/programs/command.ts';
import { requirement } from '../support/requirement.ts';

const strace = requirement('strace', 'apt-get install strace');
/** Some kernels forbid tracing processes. */
const skip =
  strace.skip ||
  (spawnSync('strace', ['-o', '/dev/null', process.execPath, '--version']).status === 0
    ? false
    : 'NOT TESTED: this system does not let a process be traced');
const MESSAGES = 20;

/** A completed flush. */
const FLUSHED = /\b(?:fsync|fdatasync)(?:\(\d+\)| resumed>\))\s+= 0/;
const ANSWERED = /"HTTP\/1\.1 202 /;

it(
  'the embedded store flushes to disk before every 202, as seen by the kernel',
  { skip },
  async () => {
    await using cli = await commandLine('sqlite', {
      SWITCHBOARD_ROLE: 'api',
      SWITCHBOARD_LOG_LEVEL: 'error',
    });
    const trace = join(cli.folder, 'trace');
    const calls = 'trace=fsync,fdatasync,write,writev,sendto,sendmsg';
    const launcher = ['strace', '-f', '-s', '32', '-e', calls, '-o', trace] as const;
    const serving = await cli.serve({ launcher: [...launcher, process.execPath, MAIN] });
    const { token } = await makeApplication(serving.url, await serving.signIn());
    for (let i = 0; i < MESSAGES; i++) {
      const { status } = await call(serving.url, 'POST', '/1/message', {
        token,
        json: note(`${i}`),
      });
      assert.equal(status, 202);
    }
    serving.process.signalAll('SIGTERM');
    await serving.process.exited;

    let answers = 0;
    let flushes = 0;
    for (const line of readFileSync(trace, 'utf8').split('\n')) {
      if (FLUSHED.test(line)) flushes++;
      if (!ANSWERED.test(line)) continue;
      answers++;
      assert.ok(flushes > 0, `response ${answers} was sent before a flush`);
      flushes = 0;
    }
    assert.equal(answers, MESSAGES);
  },
);
