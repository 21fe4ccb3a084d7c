import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

import {
  type CallParts,
  asCurl,
  asPython,
  asTypeScript,
  textTo,
} from '../../../console/src/messages/snippets.ts';
import { PYTHON, PYTHON_ENVIRONMENT } from '../../support/programs/python.ts';
import { requirement } from '../../support/requirement.ts';
import { integrate } from '../../support/service/activity.ts';
import { startTestService } from '../../support/service/service.ts';

/* The code that the console shows for copying is run as it is. */

const run = promisify(execFile);
const CURL = requirement('curl', 'apt-get install curl');

const LANGUAGES: Record<
  string,
  {
    skip: string | false;
    toSnippet(parts: CallParts): string;
    program: string;
    args(snippet: string): string[];
  }
> = {
  curl: {
    skip: CURL.skip,
    toSnippet: asCurl,
    program: 'sh',
    args: (snippet) => ['-c', `${snippet} --silent --fail`],
  },
  TypeScript: {
    skip: false,
    toSnippet: asTypeScript,
    program: process.execPath,
    args: (snippet) => ['--input-type=module-typescript', '--eval', snippet],
  },
  Python: {
    skip: PYTHON.skip,
    toSnippet: asPython,
    program: PYTHON.path,
    args: (snippet) => ['-c', snippet],
  },
};

/** What quotes, escapes and markup of the languages could break. */
const TEXT = `It's "here": \\n \`$HOME\` \${x} {x} %s\nتم 🎉 \u2028 null true </script>`;

describe('console: code snippets', () => {
  for (const [name, { skip, toSnippet, program, args }] of Object.entries(LANGUAGES)) {
    it(`${name} sends the message, with a token and with a variable`, { skip }, async () => {
      await using service = await startTestService('sqlite');
      const { application, app } = await service.application({ name: 'snippets' });
      const token = await service.applicationToken(application.id, application.team_id);
      const fields = { name: 'telegram', mode: 'sandbox', token: undefined };
      const { id } = await integrate(app, application.id, fields);
      const activity = textTo(id, '123456789', TEXT);
      for (const shown of [token, undefined]) {
        const snippet = toSnippet({ url: service.url, token: shown, activity });
        const env = { ...process.env, ...PYTHON_ENVIRONMENT, SWITCHBOARD_TOKEN: token };
        await run(program, args(snippet), { env });
      }
      const { body } = await app.get('/1/messages');
      assert.deepEqual(
        body.data.map(({ message }: { message: object }) => message),
        [activity, activity],
      );
    });
  }
});
