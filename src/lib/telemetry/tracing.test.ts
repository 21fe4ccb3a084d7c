import assert from 'node:assert/strict';
import { it } from 'node:test';

import { formatTraceparent, parseTraceparent } from './tracing.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

it('parses and formats a traceparent, also of a later version', () => {
  const context = { traceId: TRACE, spanId: SPAN, flags: 1 };
  assert.deepEqual(parseTraceparent(`00-${TRACE}-${SPAN}-01`), context);
  assert.deepEqual(parseTraceparent(`cc-${TRACE}-${SPAN}-01-what-the-future-brings`), context);
  assert.equal(formatTraceparent(context), `00-${TRACE}-${SPAN}-01`);
});

it('rejects an invalid traceparent', () => {
  for (const text of [
    '',
    'canary',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-012`,
    ` 00-${TRACE}-${SPAN}-01`,
  ]) {
    assert.equal(parseTraceparent(text), undefined, text);
  }
});
