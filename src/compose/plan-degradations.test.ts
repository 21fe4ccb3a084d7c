import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type Planned, NO, IMAGE, inThread, planned, rich } from '../../test/support/plans.ts';
import { toMarkdown } from '../lib/rich-text/writers.ts';
import type { ActivityObject } from '../model/activity.ts';

/* plan.test.ts covers content that a channel does not support at all. */

describe('degradations by recipient or id', () => {
  const cases: Record<string, [Partial<ActivityObject>, Planned, unknown[], string[]]> = {
    'a reply to a malformed id becomes an ordinary message': [
      { content: 'x', inReplyTo: 'odd' },
      { renderers: { ...rich, reply: () => ({ unsupported: 'odd' }) } },
      [{ text: 'x' }],
      ['reply'],
    ],
    'a malformed thread id is ignored for all parts': [
      { content: 'One sentence is here. Another one follows it.' },
      {
        renderers: { ...rich, thread: () => ({ unsupported: 'odd' }) },
        change: { context: 'odd' },
      },
      [{ text: 'One sentence is here.' }, { text: 'Another one follows it.' }],
      ['length', 'thread'],
    ],
    'a thread that supports only some parts gets those': [
      { ...IMAGE, content: 'A caption of some length.' },
      {
        renderers: {
          ...rich,
          thread: (request, id) => (request.call === 'say' ? inThread(request, id) : NO),
        },
        change: { context: '7' },
      },
      [
        { url: IMAGE.url, text: '' },
        { text: 'A caption of some length.', thread: '7' },
      ],
      ['caption', 'thread'],
    ],
    'formatting for a recipient without formatting becomes plain text': [
      { content: '**Now**', mediaType: 'text/markdown' },
      {
        text: {
          write: (richText, { recipient }) =>
            recipient === 'bob' ? undefined : toMarkdown(richText),
        },
      },
      [{ text: 'Now' }],
      ['formatting'],
    ],
    'formatting with too many changes becomes plain text': [
      { content: '*a* '.repeat(6_000), mediaType: 'text/markdown' },
      { text: { write: toMarkdown, max: 1_000_000 } },
      [{ text: 'a '.repeat(6_000).trimEnd() }],
      ['formatting'],
    ],
    'a place for a recipient without places becomes text': [
      { type: 'Place', latitude: 1, longitude: 2 },
      { renderers: { ...rich, place: () => NO }, text: { max: 100 } },
      [{ text: '1, 2\nhttps://www.openstreetmap.org/?mlat=1&mlon=2' }],
      ['place'],
    ],
    'the name of a place becomes a separate message where places have none': [
      { type: 'Place', latitude: 1, longitude: 2, name: 'Gate', content: 'Come' },
      { renderers: { ...rich, omitsPlaceNames: true } },
      [{ latitude: 1, longitude: 2, name: 'Gate' }, { text: 'Gate\nCome' }],
      ['caption'],
    ],
  };
  for (const [name, [object, given, steps, degradations]] of Object.entries(cases)) {
    it(name, () => assert.deepEqual(planned(object, given), [steps, degradations]));
  }
});
