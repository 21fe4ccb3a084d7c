import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

import { type OpenApi, apiSource } from '../../sdk/generator/api.ts';
import { pythonSource } from '../../sdk/generator/python.ts';
import { startTestService } from '../support/service/service.ts';
import { ROOT, readSources } from '../support/sources.ts';

const written = readFileSync(join(ROOT, 'sdk/src/api.ts'), 'utf8');

it('the types of the clients are up to date with the schemas of the service', async () => {
  await using sb = await startTestService('sqlite', {
    environment: { SWITCHBOARD_PUBLIC_URL: 'http://localhost:8080' },
  });
  const document = (await (await fetch(`${sb.url}/openapi.json`)).json()) as OpenApi;
  assert.equal(written, apiSource(document), 'out of date: run npm run docs');
  const saved = JSON.parse(readFileSync(join(ROOT, 'sdk/openapi.json'), 'utf8')) as OpenApi;
  assert.deepEqual(saved, document, 'sdk/openapi.json is out of date: run npm run docs');
  const python = readFileSync(join(ROOT, 'clients/python/src/switchboard/api.py'), 'utf8');
  assert.equal(python, pythonSource(document), 'out of date: run npm run docs');
});

it('the Python types declare the objects inside a list or union', () => {
  const item = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } };
  const schemas = { Webhook: { type: 'array', items: item } };
  const python = pythonSource({ paths: {}, webhooks: {}, components: { schemas } });
  assert.match(python, /class WebhookItem\(TypedDict\):\n {4}id: int/);
  assert.match(python, /^Webhook = list\[WebhookItem\]/m);
});

it('the client has a method for every call of the API', () => {
  const operations = [...written.matchAll(/^ {2}'((?:GET|POST|PUT|DELETE) [^']+)': \{$/gm)].map(
    ([, name = '']) => name,
  );
  assert.ok(operations.length > 50);
  const sources = [...readSources('sdk/src/**/*.ts')]
    .filter(([path]) => !path.endsWith('/api.ts'))
    .map(([, text]) => text)
    .join('\n');
  // One class serves the keys of both users and applications.
  const names = (name: string) => [
    name,
    name.replace(/(?<=keys\/)(?:users|applications)/, '${this.#kind}'),
  ];
  const missing = operations.filter((name) => !names(name).some((one) => sources.includes(one)));
  assert.deepEqual(missing, []);
});

it('the client has no dependencies and uses no API of a single runtime', () => {
  for (const [path, text] of readSources('sdk/src/**/*.ts')) {
    for (const [, from = ''] of text.matchAll(/\bfrom '([^']+)'|\bimport\('([^']+)'\)/g)) {
      assert.match(from, /^\.\.?\/[\w/-]+\.ts$/, path);
    }
    assert.doesNotMatch(text, /\b(?:process|Buffer|require|__dirname)\b[.(]/, path);
  }
});
