import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { callersOf, endpointsOf, readOpenApi } from '../../site/reference/document.ts';
import { COMMANDS } from '../../site/reference/examples-cli.ts';
import { TYPESCRIPT } from '../../site/reference/examples-typescript.ts';
import { curlExample, exampleBlocks } from '../../site/reference/examples.ts';
import { Terminal } from '../support/programs/terminal.ts';
import { requirement } from '../support/requirement.ts';
import { integrate } from '../support/service/activity.ts';
import { type TestService, startTestService } from '../support/service/service.ts';
import { typeFaults } from './types.ts';

/* The examples of the API reference. */

const endpoints = endpointsOf(await readOpenApi());
const CURL = requirement('curl', 'apt-get install curl');

const typescriptOf = (endpoint: (typeof endpoints)[number]) =>
  exampleBlocks(endpoint).find(({ language }) => language === 'ts')?.text;

it('every call with a token has an example in TypeScript', () => {
  const callable = endpoints.filter(
    ({ path, operation }) => path.startsWith('/1/') && callersOf(operation).has('user'),
  );
  assert.ok(callable.length > 60);
  const missing = callable.filter((endpoint) => typescriptOf(endpoint) === undefined);
  assert.deepEqual(missing, []);
  const known = new Set(endpoints.map(({ operation }) => operation.operationId));
  assert.deepEqual(
    [...Object.keys(TYPESCRIPT), ...Object.keys(COMMANDS)].filter((id) => !known.has(id)),
    [],
  );
});

it('examples in TypeScript have correct types', () => {
  const head = `import { Switchboard } from '@switchboard/sdk';
declare const client: Switchboard;
`;
  const body = endpoints
    .flatMap((endpoint) => typescriptOf(endpoint) ?? [])
    .map((text) => `{\n${text}\n}\n`);
  const text = head + body.join('');
  const snippet = { page: 'reference', line: 1, language: 'ts', notes: {}, text };
  assert.deepEqual(typeFaults([snippet]), []);
});

describe('commands of the reference', { skip: CURL.skip }, () => {
  let sb: TestService;
  before(async () => {
    // It delivers nothing: messages sent here would reach real vendors.
    sb = await startTestService('sqlite', { environment: { SWITCHBOARD_ROLE: 'api' } });
  });
  after(() => sb[Symbol.asyncDispose]());

  it('requests with curl are well-formed for every endpoint', async () => {
    const { application, app } = await sb.application();
    await integrate(app, application.id);
    const env = { TOKEN: sb.api.token ?? '', APP: app.token ?? '' };
    await using terminal = new Terminal(sb.database.folder, env);
    const requests = endpoints.filter(({ path, operation }) => {
      // Ends sessions, asks vendors, or streams.
      const skipped = ['openRealtime', 'checkCredentials', 'checkIntegration', 'registerHook'];
      return path.startsWith('/1/') && !skipped.includes(operation.operationId);
    });
    const malformed: string[] = [];
    for (const endpoint of requests) {
      const { operationId, responses } = endpoint.operation;
      const command = curlExample(endpoint)
        .replace('http://localhost:8080', sb.url)
        // Deletions must not end the tokens of the other examples.
        .replace(/(?<=-X DELETE \S+\/1\/\S*)\/\d+/, '/999999')
        .replace(/^curl /, `curl -s -o body.txt -w '%{http_code} ' `);
      const { text } = await terminal.run(`${command}; head -c 300 body.txt; rm -f body.txt`);
      const status = /\b([1-5]\d\d)\b/.exec(text)?.[1] ?? '';
      // The ids of the examples need not exist here; the request itself must be right.
      const isAccepted = !['400', '405', '415'].includes(status) && !/token_\w+/.test(text);
      const isRight = status in responses && isAccepted;
      if (!isRight) malformed.push(`${operationId}: ${text}`);
    }
    assert.deepEqual(malformed, []);
  });
});
