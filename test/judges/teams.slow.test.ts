import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import type { Context } from '../../src/channels/channel.ts';
import { msTeams } from '../../src/channels/ms-teams/channel.ts';
import { openContext, outgoing, resultOf } from '../channels/suite.ts';
import { APP, PASSWORD, openTeams } from '../emulators/ms-teams.ts';
import { freePort } from '../emulators/real/child-server.ts';
import { openJudge } from '../support/judges.ts';
import { until } from '../support/until.ts';

/* Microsoft's own emulator, the Agents Playground, takes what the channel sends and tells an id of it. It has no deletion. */

const { skip, folder } = await openJudge('teams');
const PROGRAM = join(folder, 'node_modules/@microsoft/m365agentsplayground/cli.js');
const CONVERSATION = 'a:1judge';

async function openPlayground(): Promise<{ url: string } & AsyncDisposable> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const start = ['start', '-e', 'http://127.0.0.1:9/api/messages', '-p', String(port)];
  const options = ['-c', 'msteams', '--conversation-id', CONVERSATION, '--disable-telemetry'];
  // It writes its settings into the working directory.
  const cwd = await mkdtemp(join(tmpdir(), 'switchboard-playground-'));
  const child = spawn(
    process.execPath,
    ['--import', join(folder, 'loopback.js'), PROGRAM, ...start, ...options],
    { cwd, stdio: 'ignore', env: { ...process.env, BROWSER: 'none' } },
  );
  await until('the playground', async () => (await fetch(url).catch(() => undefined))?.ok === true);
  return {
    url: `${url}/_connector`,
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      await rm(cwd, { recursive: true, force: true });
    },
  };
}

const BUTTONS = [
  { type: 'Button', name: 'Yes' },
  { type: 'Button', name: 'More', url: 'https://example.com/' },
];
const IMAGE = { type: 'Image', url: 'https://example.com/a.png', mediaType: 'image/png' };

describe("ms-teams, at Microsoft's playground", { skip }, () => {
  let playground: Awaited<ReturnType<typeof openPlayground>>;
  before(async () => {
    playground = await openPlayground();
  });
  after(async () => playground[Symbol.asyncDispose]());

  for (const [what, object] of [
    ['a text', {}],
    ['styled text', { mediaType: 'text/markdown', content: '**bold** & <b>' }],
    ['an image', IMAGE],
    ['an image with a caption', { ...IMAGE, content: 'A <cat>' }],
    ['a text with buttons', { content: 'Well?', attachment: BUTTONS }],
    ['an image with a caption and buttons', { ...IMAGE, content: 'Well?', attachment: BUTTONS }],
  ] as const) {
    it(`sends and edits ${what}`, async () => {
      const login = await openTeams();
      await using context = openContext({
        credentials: { token: APP, secret: PASSWORD, address: playground.url },
        url: login.url,
      });
      try {
        await sendsAndEdits(object, context);
      } finally {
        await login.close();
      }
    });
  }
});

async function sendsAndEdits(object: object, context: Context): Promise<void> {
  const message = outgoing({ recipient: CONVERSATION, object });
  const sent = await resultOf(msTeams, 'send', message, undefined, context);
  assert.equal(sent.outcome, 'sent', JSON.stringify(sent));
  assert.ok('id' in sent && sent.id, 'there is an id to edit');
  const earlier = { id: sent.id, recipient: CONVERSATION };
  assert.deepEqual(await resultOf(msTeams, 'edit', message, earlier, context), {
    outcome: 'sent',
    id: sent.id,
  });
}
