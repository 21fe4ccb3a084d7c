import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { integerMember, member, textMember } from './json-member.ts';
import { parseJson } from './parse-json.ts';

const value = parseJson('{"a":{"b":"c","n":9007199254740993,"f":1.5,"z":-3},"l":["x"],"t":true}');

describe('member of a JSON value', () => {
  it('member of a JSON value is found by its path', () => {
    assert.equal(member(value, 'a', 'b'), 'c');
    assert.equal(member(value, 't'), true);
    assert.equal(member(value, 'l', '0'), 'x');
    assert.equal(member(value), value);
  });

  it('member of a JSON value is undefined if the path leads nowhere', () => {
    for (const path of [['x'], ['a', 'x'], ['a', 'b', 'length'], ['t', 'x'], ['toString']]) {
      assert.equal(member(value, ...path), undefined);
    }
    for (const none of [undefined, null, 1, 'a']) assert.equal(member(none, 'a'), undefined);
  });

  it('member of a JSON value is returned only if it is text', () => {
    assert.equal(textMember(value, 'a', 'b'), 'c');
    assert.equal(textMember(value, 'a', 'z'), undefined);
  });

  it('member of a JSON value is returned as written if it is an integer', () => {
    assert.equal(integerMember(value, 'a', 'n'), '9007199254740993');
    assert.equal(integerMember(value, 'a', 'z'), '-3');
    for (const path of [['a', 'f'], ['a', 'b'], ['t'], ['x']]) {
      assert.equal(integerMember(value, ...path), undefined);
    }
  });
});
