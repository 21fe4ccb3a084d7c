import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ConversationEntry } from '../../../console/src/api/types.ts';
import { withTop } from '../../../console/src/conversations/loaded-pages.ts';
import { shownEntries } from '../../../console/src/conversations/shown-entries.ts';

/* How the console turns a timeline of the API into what people see. */

const AT = '2026-11-15T09:30:00';

const received = (id: number, type: string, data: object): ConversationEntry =>
  // Only what is drawn.
  JSON.parse(
    JSON.stringify({ id: `event:${id}`, direction: 'in', at: AT, event: { id, type, data } }),
  );

const sent = (id: number, state: string, message: object): ConversationEntry =>
  JSON.parse(
    JSON.stringify({
      id: `message:${id}`,
      direction: 'out',
      at: AT,
      message: { id, state, channel_ids: [`c${id}`], message },
    }),
  );

const note = (content: string, more: object = {}) => ({
  type: 'Create',
  object: { type: 'Note', content, ...more },
});

const texts = (entries: readonly ConversationEntry[]) =>
  shownEntries(entries.toReversed()).map(({ activity, isEdited, isDeleted, quote }) => {
    const { object } = activity as { object: { content?: string } };
    return [object.content, isEdited, isDeleted, quote];
  });

describe('console: entries of a conversation', () => {
  it('an edit replaces the message, and a deleted one is marked', () => {
    const shown = texts([
      received(1, 'message.received', note('frist', { id: 'a' })),
      received(2, 'message.received', note('gone', { id: 'b' })),
      sent(7, 'read', note('answer')),
      received(3, 'message.edited', { type: 'Update', object: { id: 'a', content: 'first' } }),
      received(4, 'message.deleted', { type: 'Delete', object: { id: 'b' } }),
      sent(8, 'sent', { type: 'Update', object: { id: 7, type: 'Note', content: 'corrected' } }),
    ]);
    assert.deepEqual(shown, [
      ['first', true, false, undefined],
      ['gone', false, true, undefined],
      ['corrected', true, false, undefined],
    ]);
  });

  it('an edit that failed, or whose message is not loaded, is a separate entry', () => {
    const shown = texts([
      sent(7, 'read', note('answer')),
      sent(8, 'failed', { type: 'Update', object: { id: 7, content: 'corrected' } }),
      received(3, 'message.edited', { type: 'Update', object: { id: 'z', content: 'unknown' } }),
    ]);
    assert.deepEqual(
      shown.map(([text, isEdited]) => [text, isEdited]),
      [
        ['answer', false],
        ['corrected', false],
        ['unknown', true],
      ],
    );
  });

  it('quotes are found by the id of the channel and by the id of the message', () => {
    const shown = texts([
      received(1, 'message.received', note('question', { id: 'a' })),
      sent(7, 'sent', note('answer', { inReplyTo: 'a' })),
      received(2, 'message.received', note('thanks', { id: 'b', inReplyTo: 'c7' })),
      received(3, 'message.received', note('and?', { id: 'c', inReplyTo: 'unknown' })),
    ]);
    assert.deepEqual(
      shown.map(([, , , quote]) => quote),
      [undefined, 'question', 'answer', 'Earlier message'],
    );
  });

  it('a refreshed first page keeps older ones, unless there may be a gap', () => {
    const order = {
      keyOf: (n: number) => n,
      isOlder: (one: number, than: number) => one < than,
      isUnchanged: () => true,
    };
    const page = (items: number[], next: number | undefined) => ({ items, next });
    const known = { pages: [page([9, 8], 8), page([7, 6], 6)], pageParams: [undefined, 8] };
    const items = (top: { items: number[]; next: number | undefined }) =>
      withTop(known, top, order).pages.map((each) => [each.items, each.next]);
    assert.deepEqual(items(page([10, 9], 9)), [
      [[10, 9], 9],
      [[8, 7, 6], 6],
    ]);
    assert.deepEqual(items(page([15, 14], 14)), [[[15, 14], 14]], 'a gap');
    assert.deepEqual(items(page([10, 9], undefined)), [[[10, 9], undefined]], 'the whole list');
  });
});
