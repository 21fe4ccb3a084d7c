import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, it } from 'node:test';

import { generateName } from './application.ts';

describe('generated application name', () => {
  it('generated application name is two words and a number, joined by hyphens', () => {
    for (let i = 0; i < 1000; i++) {
      const name = generateName((below) => randomInt(below));
      assert.match(name, /^[a-z]{3,}-[a-z]{3,}-[1-9]\d{3}$/);
      assert.ok(name.length >= 6, name);
    }
  });

  it('generated application name works for the smallest and largest random numbers', () => {
    assert.match(
      generateName(() => 0),
      /^[a-z]+-[a-z]+-1000$/,
    );
    assert.match(
      generateName((below) => below - 1),
      /^[a-z]+-[a-z]+-9999$/,
    );
  });

  it('uses every word', () => {
    const words = (part: 0 | 1) => {
      const sizes: number[] = [];
      generateName((below) => (sizes.push(below), 0));
      const names = Array.from({ length: sizes[part] ?? 0 }, (_, i) => {
        let call = 0;
        return generateName(() => (call++ === part ? i : 0)).split('-')[part];
      });
      return names;
    };
    for (const list of [words(0), words(1)]) {
      assert.ok(list.length >= 40);
      assert.equal(new Set(list).size, list.length, 'a word is there twice');
    }
  });
});
