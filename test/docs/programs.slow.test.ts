import assert from 'node:assert/strict';
import { type ExecFileException, execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import type { HttpPeer } from '../emulators/server/http.ts';
import { CHATS, TOKEN, openTelegram } from '../emulators/telegram.ts';
import { PYTHON, PYTHON_ENVIRONMENT } from '../support/programs/python.ts';
import { integrate, message } from '../support/service/activity.ts';
import { type TestService, startTestService } from '../support/service/service.ts';
import { ROOT } from '../support/sources.ts';
import { until } from '../support/until.ts';
import { type Snippet, pagesWithSnippets, snippetsOf } from './snippets.ts';

/*
 * Runs the programs in TypeScript and Python that the documentation shows, against a service whose Telegram is an
 * emulator. The blocks of a page are one program, because later ones use what earlier ones declare.
 */

/** Only parts of programs; their types are checked. */
const PARTS = new Set(['sdk/README.md', 'docs/recipes/migrating.md']);

/** Feeds never end; here they do after the events so far. */
const ENDLESS = 'client.events(';
const ENDING = 'client.history(';

const pages = Map.groupBy(
  pagesWithSnippets().flatMap((page) => snippetsOf(page)),
  ({ page }) => page,
);

const programOf = (snippets: readonly Snippet[], language: string) =>
  snippets
    .filter((one) => one.language === language && one.notes['run'] === undefined)
    .map(({ text }) => text)
    .join('\n');

describe("the documentation's programs", () => {
  let sb: TestService;
  let telegram: HttpPeer;
  before(async () => {
    telegram = await openTelegram();
    const environment = { SWITCHBOARD_ROLE: 'all', SWITCHBOARD_TELEGRAM_URL: telegram.url };
    sb = await startTestService('sqlite', { environment });
  });
  after(async () => {
    await sb[Symbol.asyncDispose]();
    await telegram.close();
  });

  /** An application with the integrations of the examples, and a failed message to resend. */
  async function open(page: string) {
    const { application, app } = await sb.application();
    const { id: bot } = await integrate(app, application.id, { token: TOKEN });
    // Programs there name no channel, which is possible with one integration only.
    if (!page.endsWith('python/README.md')) {
      await integrate(app, application.id, { name: 'webmessenger', token: undefined });
    }
    const { body } = await app.post(
      '/1/message',
      message({
        generator: { type: 'Service', id: String(bot) },
        to: { type: 'Person', id: CHATS.blocked },
      }),
    );
    const { id } = body as { id: number };
    await until('a message fails', async () => {
      const { body: found } = await app.get(`/1/messages/${id}`);
      return found.state === 'failed';
    });
    const adapt = (text: string) =>
      text
        .replaceAll(/http:\/\/localhost:8080|https:\/\/messages\.example\.com/g, sb.url)
        .replaceAll('5615', String(id))
        .replaceAll(/(?<=after[=:] ?)16\b/g, '0')
        .replaceAll(ENDLESS, ENDING);
    const env = {
      ...PYTHON_ENVIRONMENT,
      SWITCHBOARD_TOKEN: app.token ?? '',
      TOKEN: app.token ?? '',
      WEBHOOK_SECRET: 'fake',
    };
    return { app, adapt, env };
  }

  for (const [page, snippets] of pages) {
    const typescript = programOf(snippets, 'ts');
    if (typescript !== '' && !PARTS.has(page)) {
      it(`the TypeScript of ${page} runs`, async () => {
        const { adapt, env } = await open(page);
        const file = join(sb.database.folder, `${page.replaceAll('/', '-')}.ts`);
        const client = join(ROOT, 'sdk', 'src', 'index.ts');
        writeFileSync(file, adapt(typescript).replaceAll('@switchboard/sdk', client));
        assert.equal(await errorOutputOf(process.execPath, [file], env), '');
      });
    }

    const python = programOf(snippets, 'python');
    if (python !== '') {
      it(`the Python of ${page} runs`, { skip: PYTHON.skip }, async () => {
        const { adapt, env } = await open(page);
        const file = join(sb.database.folder, `${page.replaceAll('/', '-')}.py`);
        writeFileSync(file, adapt(python));
        assert.equal(await errorOutputOf(PYTHON.path, ['-W', 'error', file], env), '');
      });
    }
  }

  it('pages that send, list or receive have examples in both languages', () => {
    for (const page of ['sending', 'receiving', 'idempotency', 'testing']) {
      const snippets = pages.get(`docs/${page}.md`) ?? [];
      for (const language of ['ts', 'python']) {
        assert.notEqual(programOf(snippets, language), '', `${page}: ${language}`);
      }
    }
  });
});

/** What a program writes to standard error, or how it failed. */
function errorOutputOf(program: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, args, { env }, (error: ExecFileException | null, _, stderr) => {
      resolve(error ? `${error.message}\n${stderr}` : stderr);
    });
  });
}
