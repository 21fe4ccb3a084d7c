import assert from 'node:assert/strict';
import { it } from 'node:test';

import { ignored } from '../inbound.ts';
import { readSignal } from './envelope.ts';

const SELF = '+33611111111';
const envelope = (more: object) => ({
  envelope: { sourceNumber: '+33622222222', timestamp: 1, ...more },
});

it('an envelope of signal-cli without an event is ignored with its type and reason', () => {
  assert.deepEqual(readSignal(envelope({}), SELF), ignored('receive', 'no_content'));
  assert.deepEqual(
    readSignal(envelope({ dataMessage: { message: 'x' } }), SELF),
    ignored('dataMessage', 'incomplete'),
  );
  assert.deepEqual(
    readSignal(envelope({ receiptMessage: { isRead: true, timestamps: [] } }), SELF),
    ignored('receiptMessage', 'incomplete'),
  );
});
