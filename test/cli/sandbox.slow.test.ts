import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type CommandLine, commandLine } from '../support/programs/command.ts';
import { eventsOf } from '../support/service/feed.ts';
import { type SandboxService, openSandboxes } from '../support/service/sandbox.ts';

/* A conversation with simulated people, by the command line alone. */

const ROOM = 'C0123456789';

describe('command line: sandbox', () => {
  let sandboxes: SandboxService;
  let cli: CommandLine;
  before(async () => {
    sandboxes = await openSandboxes('sqlite');
    cli = await commandLine('sqlite', { XDG_CONFIG_HOME: '' });
  });
  after(async () => {
    await cli[Symbol.asyncDispose]();
    await sandboxes[Symbol.asyncDispose]();
  });

  /** A sandbox integration, and the commands about it. */
  const open = async (channel: string) => {
    const sandbox = await sandboxes.open(channel);
    const run = (command: string, ...args: string[]) =>
      cli.run(['sandbox', command, String(sandbox.integrationId), ...args], {
        environment: {
          XDG_CONFIG_HOME: cli.folder,
          SWITCHBOARD_URL: sandboxes.service.url,
          SWITCHBOARD_TOKEN: sandbox.app.token ?? '',
        },
      });
    const json = async (command: string, ...args: string[]) => {
      const { code, stdout, stderr } = await run(command, ...args, '--json');
      assert.deepEqual([code, stderr], [0, ''], [command, ...args].join(' '));
      return stdout === '' ? undefined : JSON.parse(stdout);
    };
    return { sandbox, run, json };
  };

  it('people answer, press, react, join, leave and block', async () => {
    const { sandbox, json } = await open('slack');
    const { people } = await json('show');
    const { address: from } = people.find((one: { only_in_rooms?: boolean }) => !one.only_in_rooms);
    const attachment = [{ type: 'Button', name: 'Yes', value: 'yes' }];
    await sandbox.send({ type: 'Note', content: 'At home?', attachment }, from);
    const question = await sandbox.shown('the question', ({ buttons }) => buttons);
    const id = String(question.id);
    await json('reply', '--from', from, '--text', 'Who asks?');
    await json('press', id, 'Yes');
    await json('react', id, '👍');
    const [written, pressed] = await eventsOf(sandbox.app, 'message.received', 2);
    assert.equal(written?.data.object.content, 'Who asks?');
    assert.equal(pressed?.data.object.attachment[0].value, 'yes');
    await json('act', 'join', '--from', from, '--room', ROOM);
    await eventsOf(sandbox.app, 'member.joined', 1);
    await json('act', 'leave', '--from', from, '--room', ROOM);
    await eventsOf(sandbox.app, 'member.left', 1);
    const kinds = (await json('messages')).map(({ kind }: { kind: string }) => kind);
    for (const kind of ['message', 'press', 'react', 'join', 'leave'])
      assert.ok(kinds.includes(kind));
  });

  it('a person blocks the sender, and no longer does', async () => {
    const { sandbox, json } = await open('telegram');
    const { recipient } = sandbox;
    await json('act', 'block', '--from', recipient);
    const isBlocked = async () => {
      const { people } = await json('show');
      return people.find(({ address }: { address: string }) => address === recipient).blocked;
    };
    assert.equal(await isBlocked(), true);
    const id = await sandbox.send({ type: 'Note', content: 'Hello?' });
    await sandbox.message(id, ({ state }) => state === 'failed');
    await json('act', 'unblock', '--from', recipient);
    assert.equal(await isBlocked(), false);
  });

  it('faults are set and removed, and the phones emptied', async () => {
    const { run, json } = await open('telegram');
    await json('fault', 'unavailable', '--seconds', '60', '--times', '2');
    const { behaviours } = await json('show');
    assert.deepEqual([behaviours[0].fault, behaviours[0].times], ['unavailable', 2]);
    await json('reset');
    assert.deepEqual((await json('show')).behaviours, []);
    assert.deepEqual(await json('messages'), []);
    for (const wrong of ['fault', 'act']) assert.equal((await run(wrong, 'nothing')).code, 2);
  });
});
