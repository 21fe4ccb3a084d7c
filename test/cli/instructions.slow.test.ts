import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type CommandLine, type Finished, commandLine } from '../support/programs/command.ts';
import {
  type SandboxService,
  type SandboxTest,
  openSandboxes,
} from '../support/service/sandbox.ts';

/* Templates, categories and times, by flags of the command line. */

describe('command line: instructions', () => {
  let sandboxes: SandboxService;
  let sandbox: SandboxTest;
  let cli: CommandLine;
  before(async () => {
    sandboxes = await openSandboxes('sqlite');
    sandbox = await sandboxes.open('whatsapp');
    cli = await commandLine('sqlite', { XDG_CONFIG_HOME: '' });
  });
  after(async () => {
    await cli[Symbol.asyncDispose]();
    await sandboxes[Symbol.asyncDispose]();
  });

  const run = (...args: string[]) =>
    cli.run(args, {
      environment: {
        XDG_CONFIG_HOME: cli.folder,
        SWITCHBOARD_URL: sandboxes.service.url,
        SWITCHBOARD_TOKEN: sandbox.app.token ?? '',
      },
    });
  const send = (...args: string[]) => run('send', '--to', sandbox.recipient, '--json', ...args);
  function read({ code, stdout, stderr }: Finished) {
    assert.deepEqual([code, stderr], [0, '']);
    return JSON.parse(stdout);
  }
  const assertRefused = ({ code, stderr }: Finished, expected: number, words: RegExp) => {
    assert.equal(code, expected, stderr);
    assert.match(stderr, words);
  };

  it('templates are listed, synced and sent', async () => {
    const contents = { en: { content: 'Hi {{ name }}' } };
    const own = { name: 'greeting', default_language: 'en', contents };
    assert.equal((await sandbox.app.post('/1/templates', own)).status, 201);
    const vendor = ['templates', '--integration', String(sandbox.integrationId)];
    const [mine, unsynced, refused] = await Promise.all([
      run('templates', '--json'),
      run(...vendor, '--json'),
      run('templates', '--sync'),
    ]);
    assert.deepEqual(
      read(mine).map(({ name }: { name: string }) => name),
      ['greeting'],
    );
    assert.equal(read(unsynced).synced_at, null);
    assertRefused(refused, 2, /--integration/);
    const table = await run(...vendor, '--sync');
    assert.equal(table.code, 0, table.stderr);
    assert.match(table.stdout, /^name +language +status[^]*\nhello_world +en_US +approved/);

    const [direct, greeting, outside, preview, unknown] = await Promise.all([
      send('--template', 'hello_world', '--category', 'marketing'),
      send('--template', 'greeting', '--parameter', 'name=Ada'),
      send('--text', 'Free text', '--template', 'hello_world', '--outside-window'),
      send('--template', 'greeting', '--parameter', 'name=Ada', '--dry-run'),
      send('--template', 'nothing'),
    ]);
    const shown = async (finished: Finished) => {
      const { body } = await sandbox.app.get(`/1/messages/${read(finished).id}`);
      return [body.category, body.template?.source, body.outside_window?.name];
    };
    assert.deepEqual(await shown(direct), ['marketing', 'vendor', undefined]);
    assert.deepEqual(await shown(greeting), [undefined, 'own', undefined]);
    assert.deepEqual(await shown(outside), [undefined, undefined, 'hello_world']);
    assert.equal(read(preview).template.name, 'greeting');
    assert.match((await run('messages')).stdout, / \[template greeting\]/);
    assertRefused(unknown, 1, /\(template_refused\)/);
    const [category, window, parameter, twice] = await Promise.all([
      send('--text', 'Hi', '--category', 'spam'),
      send('--text', 'Hi', '--outside-window'),
      send('--template', 'greeting', '--parameter', 'Ada'),
      send('--template', 'greeting', '--parameter', 'name=Ada', '--parameter', 'name=Eve'),
    ]);
    assertRefused(category, 2, /--category.*marketing.*"spam"/);
    assertRefused(window, 2, /--template/);
    assertRefused(parameter, 2, /--parameter/);
    assertRefused(twice, 2, /--parameter name: given more than once/);
  });

  it('a scheduled message is listed, changed and canceled', async () => {
    const later = ['--at', '09:00', '--zone', 'Europe/Berlin'];
    const { id, state } = read(await send('--text', 'Later', ...later));
    assert.equal(state, 'scheduled');
    const day = new Date(Date.now() + 7 * 24 * 3_600_000).toISOString().slice(0, 10);
    const changed = read(await run('reschedule', String(id), '--at', `${day}T10:00:00Z`, '--json'));
    assert.equal(changed.send_at, `${day}T10:00:00`);
    const [list, wrong, missing] = await Promise.all([
      run('messages', '--state', 'scheduled', '--json'),
      run('reschedule', String(id), '--at', 'soon'),
      run('reschedule', String(id)),
    ]);
    assert.deepEqual(
      read(list).map((message: { id: number }) => message.id),
      [id],
    );
    assertRefused(wrong, 1, /\(invalid_fields\)/);
    assertRefused(missing, 2, /--at/);
    assert.deepEqual(read(await run('cancel', String(id), '--json')), [id]);
    assert.equal((await sandbox.app.get(`/1/messages/${id}`)).body.state, 'canceled');
    const [late, unknown, invalid] = await Promise.all([
      run('reschedule', String(id), '--at', `${day}T10:00:00Z`),
      run('cancel', '999999'),
      run('cancel', 'seven'),
    ]);
    assertRefused(late, 1, /\(message_not_scheduled\)/);
    assertRefused(unknown, 3, /\(not_found\)/);
    assertRefused(invalid, 2, /"seven"/);
  });

  it('lists mark sandbox messages, and a message shows its cost', async () => {
    const id = await sandbox.send({ type: 'Note', content: 'What does it cost?' });
    const shown = await sandbox.shown('the text', ({ text }) => /cost/.test(text));
    await sandbox.act('receipts', { message: shown.id, state: 'delivered' });
    const { cost } = await sandbox.message(id, ({ state }) => state === 'delivered');
    assert.equal(cost.category, 'utility');
    const printed = await Promise.all([
      run('integrations'),
      run('messages', '--limit', '1'),
      run('messages', String(id)),
      run('events'),
    ]);
    for (const { code, stdout, stderr } of printed) {
      assert.equal(code, 0, stderr);
      assert.match(stdout, /sandbox/);
    }
    assert.match(printed[2].stdout, /utility/);
  });

  it('pools are created, changed, used and deleted', async () => {
    const member = async (name: string) => {
      const fields = { application_id: sandbox.applicationId, name, state: 'enable' };
      const { body } = await sandbox.app.post('/1/integrations', { ...fields, mode: 'sandbox' });
      return String(body.id);
    };
    const [one, two] = [await member('twilio'), await member('vonage')];
    const members = ['--member', `${one},weight=3`, '--member', two];
    const made = read(await run('pools', 'create', 'sms', '--json', ...members));
    assert.deepEqual(
      made.members.map(({ weight }: { weight: number }) => weight),
      [3, 1],
    );
    const strategy = ['--strategy', 'weighted', '--failover-after', 'PT45S'];
    const changed = read(await run('pools', 'update', 'sms', '--json', ...strategy));
    assert.deepEqual([changed.strategy, changed.failover_after], ['weighted', 'PT45S']);
    assert.deepEqual(changed.members, made.members);
    const [shown, listed, table, none, odd, unknown] = await Promise.all([
      run('pools', 'show', 'pool:sms', '--json'),
      run('pools', '--json'),
      run('pools', 'show', String(made.id)),
      run('pools', 'create', 'empty'),
      run('pools', 'create', 'odd', '--member', `${one},share=3`),
      run('pools', 'show', 'nothing'),
    ]);
    assert.equal(read(shown).id, made.id);
    assert.equal(read(listed).length, 1);
    assert.equal(table.code, 0, table.stderr);
    assertRefused(none, 2, /--member/);
    assertRefused(odd, 2, /--member.*share/);
    assertRefused(unknown, 3, /nothing/);

    const sms = '+15558675310';
    const [pooled, routed, wrong, late] = await Promise.all([
      run('send', '--to', sms, '--via', 'pool:sms', '--text', 'Hi', '--json'),
      send(
        '--text',
        'Hi',
        '--route',
        'whatsapp,until=read,after=PT2M',
        '--route',
        `pool:sms,to=${sms}`,
      ),
      send('--text', 'Hi', '--route', 'whatsapp,until=seen'),
      send('--text', 'Hi', '--route', 'whatsapp', '--route', `pool:sms,to=${sms}`),
    ]);
    assert.equal((await sandbox.app.get(`/1/messages/${read(pooled).id}`)).body.routes.length, 2);
    const { body } = await sandbox.app.get(`/1/messages/${read(routed).id}`);
    assert.deepEqual(
      body.routes.map(({ via }: { via: string }) => via),
      ['whatsapp', 'pool:sms', 'pool:sms'],
    );
    assertRefused(wrong, 2, /until/);
    assertRefused(late, 1, /--route/);
    const [resent, number] = await Promise.all([
      run('resend', String(body.id), '--route', '7'),
      run('resend', String(body.id), '--route', 'first'),
    ]);
    assert.notEqual(resent.code, 0);
    assertRefused(number, 2, /--route/);
    assert.deepEqual(read(await run('pools', 'delete', 'sms', '--json')), [made.id]);
  });
});
