import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import { ActivitySchema, checkActivity } from '../../src/http/activity.ts';
import { eventSchema } from '../../src/http/openapi/event-schemas.ts';
import { bodyCheck } from '../../src/http/server/validation.ts';
import { EVENT_TYPES } from '../../src/model/event.ts';
import { Terminal } from '../support/programs/terminal.ts';
import { requirement } from '../support/requirement.ts';
import { integrate } from '../support/service/activity.ts';
import { type TestService, startTestService } from '../support/service/service.ts';
import { ROOT, readSources } from '../support/sources.ts';
import { createDatabase } from '../support/store/databases.ts';
import { freePort } from '../support/store/postgres.ts';
import { until } from '../support/until.ts';
import { parseYaml } from '../support/yaml.ts';
import { EXCUSES } from './excuses.ts';
import { type Snippet, nameOf, pagesWithSnippets, snippetsOf } from './snippets.ts';
import { typeFaults } from './types.ts';

/*
 * Runs every code block of the documentation, or at least parses it. The commands of a page are typed into one
 * terminal in order; blocks that cannot be run have an excuse.
 */

const run = promisify(execFile);
const CURL = requirement('curl', 'apt-get install curl');
const snippets = pagesWithSnippets().flatMap((page) => snippetsOf(page));
const isExcused = ({ page, text }: Snippet) =>
  EXCUSES.some(([where, words]) => where === page && text.includes(words));
const of = (...languages: string[]) =>
  snippets.filter(({ language }) => languages.includes(language));

/** Placeholders in the documentation and their values. */
const VISITOR = 'guest-Zk3pVb0m8Qx1rT6yNw5sJA';

describe("the documentation's code blocks", { skip: CURL.skip }, () => {
  let sb: TestService;
  before(async () => {
    // It delivers nothing: messages sent here would reach real vendors.
    sb = await startTestService('sqlite', { environment: { SWITCHBOARD_ROLE: 'api' } });
    writeFileSync(join(sb.database.folder, 'key.json'), JSON.stringify(SERVICE_ACCOUNT));
  });
  after(() => sb[Symbol.asyncDispose]());

  const commands = of('sh').filter((snippet) => !isExcused(snippet));
  for (const [page, own] of Map.groupBy(commands, (snippet) => snippet.page)) {
    it(`the documentation's code blocks work in ${page}`, async () => {
      await using reader = await readerOf(page);
      for (const snippet of own) {
        const { text, status } = await reader.terminal.run(reader.adapt(snippet.text));
        assert.equal(status, 0, `${nameOf(snippet)}\n${snippet.text}\n${text}`);
      }
    });
  }

  it("the documentation's code blocks load assets that the service serves", async () => {
    for (const snippet of of('html')) {
      const [, path = ''] = /^<script src="https:\/\/[^/"]+(\/[^"]+)"/.exec(snippet.text) ?? [];
      assert.equal((await fetch(sb.url + path)).status, 200, nameOf(snippet));
    }
  });

  it("the documentation's code blocks migrate a program as docs/recipes/migrating.md says", async () => {
    const snippet = snippetsOf('docs/recipes/migrating.md').find((one) => one.language === 'ts');
    const { application, app } = await sb.application();
    await integrate(app, application.id);
    const file = program('sender.ts', snippet);
    const call = `import('${file}').then(({ tellCustomer }) => tellCustomer('123456789', 7, 'Packed.'))`;
    await run(process.execPath, ['--eval', `${call}.then(() => ${call})`], {
      env: { SWITCHBOARD_TOKEN: app.token },
    });
    const { body } = await app.get('/1/messages');
    assert.equal(body.data.length, 1, 'a repeated call sends one message');
  });

  it("the documentation's code blocks accept only signed webhooks, as docs/webhooks.md says", async () => {
    const snippet = snippetsOf('docs/webhooks.md').find(
      ({ language, notes }) => language === 'js' && notes['run'] === undefined,
    );
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const { application } = await sb.application({ webhook_url: url });
    const { body: webhook } = await sb.api.get(`/1/applications/${application.id}/webhook`);
    const env = { WEBHOOK_SECRET: String(webhook.secrets[0]), PORT: String(port) };
    await using terminal = new Terminal(sb.database.folder, env, '');
    terminal.type(`'${process.execPath}' '${program('endpoint.mjs', snippet)}'`);
    await until('the program listens', () => terminal.output.includes('ready'));
    const { body: tried } = await sb.api.post(`/1/applications/${application.id}/webhook/test`);
    assert.equal(tried.status, '204', JSON.stringify(tried));
    assert.match(terminal.output, /ready\n[\w.]+\n/);
    const forged = await fetch(url, { method: 'POST', body: '{}' });
    assert.equal(forged.status, 401);
  });

  /** A page's program in a file, which calls the service. */
  function program(name: string, snippet: Snippet | undefined): string {
    const file = join(sb.database.folder, name);
    const client = join(ROOT, 'sdk', 'src', 'index.ts');
    const text = snippet?.text.replace('@switchboard/sdk', client) ?? '';
    writeFileSync(file, text.replace('http://localhost:8080', sb.url));
    return file;
  }

  /** A reader of a page, with the page's prerequisites. */
  async function readerOf(page: string) {
    const target = page.endsWith('backups.md') ? await createDatabase('postgres') : undefined;
    const { application, app } = await sb.application();
    const channel = /channels\/setup\/([\w-]+)\.md$/.exec(page)?.[1];
    // A channel's page creates the integration itself.
    const given = channel === undefined ? INTEGRATIONS : [];
    for (const fields of given) await integrate(app, application.id, fields);
    const env = {
      HOME: sb.database.folder,
      SWITCHBOARD_DATABASE: join(sb.database.folder, `${target ? 'other' : 'switchboard'}.db`),
      TOKEN: sb.api.token ?? '',
      APP: app.token ?? '',
      VISITOR,
      // For commands on pages that do not log in.
      SWITCHBOARD_URL: sb.url,
      SWITCHBOARD_TOKEN: app.token ?? '',
    };
    const adapt = (text: string) =>
      text
        .replaceAll(/(?:http:\/\/)?localhost:8080|https:\/\/messages\.example\.com/g, sb.url)
        .replaceAll('wait=30', 'wait=0')
        .replaceAll('"application_id": 4', `"application_id": ${application.id}`)
        .replaceAll('/backups/', `${sb.database.folder}/`)
        .replaceAll(
          'postgres://user@host/switchboard',
          target?.environment['SWITCHBOARD_DATABASE'] ?? '',
        );
    const terminal = new Terminal(sb.database.folder, env);
    // A separate store, because the page replaces it.
    if (target) await terminal.run('switchboard token');
    return {
      terminal,
      adapt,
      async [Symbol.asyncDispose]() {
        await terminal[Symbol.asyncDispose]();
        await target?.dispose();
      },
    };
  }
});

/** Part of a Google key file. */
const SERVICE_ACCOUNT = {
  type: 'service_account',
  client_email: 'a@example.com',
  private_key: 'fake',
};

const INTEGRATIONS = [
  { name: 'telegram' },
  { name: 'email', address: 'smtps://smtp.example.org', username: 'a@example.org', token: 'fake' },
  { name: 'webmessenger' },
];

it('code blocks have valid shell syntax where they are not run', () => {
  for (const snippet of of('sh').filter((one) => isExcused(one))) {
    const check = () => execFileSync('bash', ['-n'], { input: snippet.text, stdio: 'pipe' });
    assert.doesNotThrow(check, nameOf(snippet));
  }
});

it('code blocks match every excuse, each with a reason', () => {
  for (const [page, words, reason] of EXCUSES) {
    const excused = snippets.filter((one) => one.page === page && one.text.includes(words));
    assert.ok(excused.length > 0, `${page}: ${words}`);
    assert.ok(reason.length > 10, page);
    for (const [file] of reason.matchAll(/test\/[\w/.-]+\.ts/g)) readFileSync(join(ROOT, file));
  }
});

it('code blocks contain valid JSON, activities and events', () => {
  const isActivity = bodyCheck(ActivitySchema);
  const blocks = of('json');
  assert.ok(blocks.length > 5);
  for (const snippet of blocks) {
    const value = JSON.parse(snippet.text) as Record<string, unknown>;
    const type = EVENT_TYPES.find((one) => one === value['type']);
    assert.doesNotThrow(() => {
      if ('message' in value) {
        isActivity(value['message']);
        const activity = value['message'] as Parameters<typeof checkActivity>[0];
        checkActivity(activity, '/message', 'template' in value);
      }
      if (type) bodyCheck(eventSchema(type))(value);
    }, nameOf(snippet));
  }
});

it('code blocks contain valid settings of other programs', () => {
  for (const snippet of of('yaml')) assert.ok(parseYaml(snippet.text).length > 0, nameOf(snippet));
});

it('code blocks contain queries that the database accepts', async () => {
  const queries = of('sql').filter((snippet) => !isExcused(snippet));
  assert.ok(queries.length > 0);
  await using sb = await startTestService('postgres');
  const { default: pg } = await import('pg');
  const client = new pg.Client(sb.database.environment['SWITCHBOARD_DATABASE']);
  await client.connect();
  try {
    for (const { text } of queries) assert.ok((await client.query(text)).rows.length > 0, text);
  } finally {
    await client.end();
  }
});

it('code blocks contain programs with correct types, like the examples', () => {
  // Functions without types are run instead.
  const typed = of('ts', 'js').filter(({ notes }) => notes['run'] === undefined);
  assert.deepEqual(typeFaults(typed), []);
});

it('code blocks show parts of the examples unchanged', () => {
  const examples = readSources('examples/**/*.mjs');
  for (const snippet of snippets) {
    const { file, part } = snippet.notes;
    if (file !== undefined) {
      const [, text] = [...examples].find(([path]) => path.endsWith(`/${file}`)) ?? [];
      assert.equal(snippet.text, text, nameOf(snippet));
    }
    // Other parts run in a browser, where a test of their channel runs them.
    if (part?.endsWith('.mjs')) {
      assert.ok(examples.get(`examples/${part}`)?.includes(snippet.text), nameOf(snippet));
    }
  }
});

it('code blocks have known languages only', () => {
  const known = ['sh', 'json', 'yaml', 'html', 'sql', 'ts', 'js', 'text', 'mermaid'];
  // Run by test/docs/programs.slow.test.ts and test/docs/webhook-signatures.slow.test.ts.
  known.push('python');
  const verified = ['go', 'php', 'ruby'];
  // Diagrams of the source layout, which have no language.
  const drawn = snippets.filter(({ page }) => page !== 'ARCHITECTURE.md');
  const unknown = drawn.filter(
    ({ language, notes }) =>
      !known.includes(language) && !(verified.includes(language) && notes['run'] === 'verify'),
  );
  assert.deepEqual(unknown.map(nameOf), []);
});
