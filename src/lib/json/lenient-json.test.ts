import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { fc } from '../../../test/support/fast-check.ts';
import {
  MAX_DEPTH,
  MAX_VALUES_BESIDE_LONG_NUMBERS,
  parseJson,
  parseLenientJson,
} from './parse-json.ts';

const nested = (depth: number) => '['.repeat(depth) + '1' + ']'.repeat(depth);

describe('parseLenientJson', () => {
  it('agrees with parseJson on what that accepts', () => {
    const json = fc
      .jsonValue({ maxDepth: 5, stringUnit: 'grapheme' })
      .map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(json, (text) => {
        fc.pre(!/__proto__|\\u0000/.test(text));
        assert.deepEqual(parseLenientJson(text), parseJson(text));
      }),
    );
  });

  it('repairs what parseJson rejects', () => {
    for (const [text, value] of [
      [String.raw`{"a\u0000":["x\ud800"]}`, { 'a\uFFFD': ['x\uFFFD'] }],
      ['{"a":1,"a":2}', { a: 2 }],
      ['{"a":{"__proto__":{"b":1},"c":1}}', { a: { c: 1 } }],
      [String.raw`{"\u005f_proto__":{"b":1}}`, {}],
    ] as const) {
      assert.deepEqual(parseLenientJson(text), value, text);
    }
  });

  it('omits what is nested too deeply', () => {
    const found = parseLenientJson(`{"deep":${nested(900)},"text":"a"}`);
    assert.equal(
      JSON.stringify(found),
      `{"deep":${nested(MAX_DEPTH - 1).replace('1', 'null')},"text":"a"}`,
    );
  });

  it('reads more numbers than parseJson, with less precision', () => {
    const long = Array(MAX_VALUES_BESIDE_LONG_NUMBERS).fill('12345678901234567890');
    assert.deepEqual(parseLenientJson(`[${long.join(',')}]`), long.map(Number));
  });

  it('returns nothing for invalid JSON and beyond its limits', () => {
    for (const text of [
      '',
      '{',
      '[1,]',
      '\uFEFF1',
      nested(200_000),
      `[${'0,'.repeat(200_000)}0]`,
    ]) {
      assert.equal(parseLenientJson(text), undefined);
    }
  });
});
