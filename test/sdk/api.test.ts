import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

import { type OpenApi, apiSource } from '../../sdk/generator/api.ts';
import { startTestService } from '../support/service.ts';
import { ROOT, readSources } from '../support/sources.ts';

const written = readFileSync(join(ROOT, 'sdk/src/api.ts'), 'utf8');

it('has its types as the schemas of the service would write them', async () => {
  await using sb = await startTestService('sqlite');
  const document = (await (await fetch(`${sb.url}/openapi.json`)).json()) as OpenApi;
  assert.equal(written, apiSource(document), 'it is stale: npm run docs');
});

it('has a method for every call of the interface', () => {
  const operations = [...written.matchAll(/^ {2}'((?:GET|POST|PUT|DELETE) [^']+)': \{$/gm)].map(
    ([, name = '']) => name,
  );
  assert.ok(operations.length > 50);
  const sources = [...readSources('sdk/src/**/*.ts')]
    .filter(([path]) => !path.endsWith('/api.ts'))
    .map(([, text]) => text)
    .join('\n');
  // The keys of users and of applications are one class.
  const names = (name: string) => [
    name,
    name.replace(/(?<=keys\/)(?:users|applications)/, '${this.#kind}'),
  ];
  const missing = operations.filter((name) => !names(name).some((one) => sources.includes(one)));
  assert.deepEqual(missing, []);
});

it('needs nothing but itself and what every runtime has', () => {
  for (const [path, text] of readSources('sdk/src/**/*.ts')) {
    for (const [, from = ''] of text.matchAll(/\bfrom '([^']+)'|\bimport\('([^']+)'\)/g)) {
      assert.match(from, /^\.\.?\/[\w/-]+\.ts$/, path);
    }
    assert.doesNotMatch(text, /\b(?:process|Buffer|require|__dirname)\b[.(]/, path);
  }
});
