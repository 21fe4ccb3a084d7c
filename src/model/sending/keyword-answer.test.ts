import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { segmentsOf } from '../../lib/text/gsm.ts';
import { answerText } from './keyword-answer.ts';

const LANGUAGES = ['en', 'es', 'fr', 'de', 'it', 'pt', 'nl', 'pl', 'tr', 'ar', 'hi', 'ja'];
const DEFAULTS = { stop: null, start: null, help: null };

describe('keyword answers', () => {
  for (const language of LANGUAGES) {
    it(`each answer in ${language} fits into one SMS`, () => {
      for (const keyword of ['stop', 'start', 'help'] as const) {
        const text = answerText({ keyword, language }, DEFAULTS) ?? '';
        assert.equal(segmentsOf(text).count, 1, text);
      }
    });
  }

  it('an unknown language is answered in English, and each other one in its own', () => {
    const texts = LANGUAGES.map((language) => answerText({ keyword: 'help', language }, DEFAULTS));
    assert.equal(new Set(texts).size, LANGUAGES.length);
    assert.equal(answerText({ keyword: 'help', language: 'xx' }, DEFAULTS), texts[0]);
  });
});
