import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { MAX_FORM_FIELDS, fieldsOfBody } from './form-body.ts';

describe('posted form', () => {
  it('posted form is parsed up to the field limit and ignored beyond it', () => {
    const form = (count: number) =>
      Buffer.from(Array.from({ length: count }, (_, i) => `k${i}=%41`).join('&'));
    assert.equal(fieldsOfBody(form(MAX_FORM_FIELDS)).size, MAX_FORM_FIELDS);
    assert.equal(fieldsOfBody(form(2)).get('k1'), 'A');
    assert.equal(fieldsOfBody(form(MAX_FORM_FIELDS + 1)).size, 0);
  });
});
