import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { startTestService } from './support/service/service.ts';

/*
 * Generators derive identifiers from names. Colliding names are renamed or dropped with their operation: the usual
 * Python generator drops an operation whose body has such a pair.
 */

type Json = Record<string, unknown>;

const words = (name: string) =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word.toLowerCase());
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Each language's spelling of a name. */
const LANGUAGES: Readonly<Record<string, (name: string) => string>> = {
  Python: (name) => words(name).join('_'),
  Go: (name) => words(name).map(capital).join(''),
  Java: (name) =>
    words(name)
      .map((word, i) => (i === 0 ? word : capital(word)))
      .join(''),
};

function collisions(names: readonly string[]): string[] {
  return Object.entries(LANGUAGES).flatMap(([language, identifier]) =>
    [...Map.groupBy(names, identifier)]
      .filter(([written, group]) => group.length > 1 || !/^[A-Za-z]\w*$/.test(written))
      .map(([written, group]) => `${language} ${written}: ${group.join(', ')}`),
  );
}

async function fetchDocument() {
  await using sb = await startTestService('sqlite');
  const response = await fetch(`${sb.url}/openapi.json`);
  return (await response.json()) as {
    paths: Record<string, Record<string, { operationId: string; parameters: { name: string }[] }>>;
    webhooks: Record<string, { post: { operationId: string } }>;
    components: { schemas: Record<string, Json> };
  };
}

function* objectsIn(value: unknown, at: string): Generator<[string, string[]]> {
  if (typeof value !== 'object' || value === null) return;
  const { properties } = value as { properties?: unknown };
  if (typeof properties === 'object' && properties !== null) yield [at, Object.keys(properties)];
  for (const [key, member] of Object.entries(value)) yield* objectsIn(member, `${at}/${key}`);
}

describe('names of the OpenAPI document', () => {
  it('names of the OpenAPI document stay distinct as properties in Python, Go and Java', async () => {
    const objects = [...objectsIn(await fetchDocument(), '')];
    assert.ok(objects.length > 60);
    assert.deepEqual(
      objects.flatMap(([at, names]) => collisions(names).map((found) => `${at} ${found}`)),
      [],
    );
  });

  it('names of the OpenAPI document stay distinct as operations, schemas and parameters', async () => {
    const { paths, webhooks, components } = await fetchDocument();
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    const posted = Object.values(webhooks).map(({ post }) => post.operationId);
    assert.deepEqual(
      collisions([...operations.map(({ operationId }) => operationId), ...posted]),
      [],
    );
    assert.deepEqual(collisions(Object.keys(components.schemas)), []);
    for (const { operationId, parameters } of operations) {
      assert.deepEqual(collisions(parameters.map(({ name }) => name)), [], operationId);
    }
  });

  it('consist of a verb and its object', async () => {
    const { paths } = await fetchDocument();
    for (const [path, methods] of Object.entries(paths)) {
      for (const { operationId } of Object.values(methods)) {
        assert.match(operationId, /^[a-z]+([A-Z][a-z]+)+$/, path);
      }
    }
    assert.equal(paths['/1/message']?.['post']?.operationId, 'sendMessage');
    assert.equal(paths['/1/messages']?.['get']?.operationId, 'listMessages');
  });

  it('names of the OpenAPI document are checked by a test that finds collisions', () => {
    assert.equal(collisions(['context', '@context']).length, 3);
    assert.equal(collisions(['endTime', 'end_time']).length, 3);
    assert.deepEqual(collisions(['id', 'name']), []);
  });
});
