import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Activity } from './activity.ts';
import { textOf } from './text.ts';

const activity = (object: Activity['object']): Activity => ({
  '@context': 'https://www.w3.org/ns/activitystreams',
  type: 'Create',
  generator: { type: 'Service' },
  to: { type: 'Person', id: '1' },
  object,
});

const CASES: readonly (readonly [string, Activity['object'], string])[] = [
  ['a note is its content', { type: 'Note', content: 'Hello\n  there ' }, 'Hello\n  there '],
  ['nothing of HTML is lost', { type: 'Note', content: '<b>1 &lt; 2</b>' }, '<b>1 &lt; 2</b>'],
  [
    'a picture is its caption and its link',
    { type: 'Image', content: 'Look', url: 'https://example.com/a.png', name: 'a.png' },
    'Look\nhttps://example.com/a.png',
  ],
  [
    'a file without a caption is its link',
    { type: 'Document', url: 'https://example.com/a.pdf' },
    'https://example.com/a.pdf',
  ],
  [
    'a place is its name and its coordinates',
    { type: 'Place', name: 'Berlin', latitude: 52.5, longitude: 0 },
    'Berlin\n52.5, 0',
  ],
  [
    'a place with more to say says it in between',
    { type: 'Place', name: 'Berlin', content: 'Come!', latitude: 52.5, longitude: -13.4 },
    'Berlin\nCome!\n52.5, -13.4',
  ],
  [
    'attachments are links, and buttons a list after them',
    {
      type: 'Note',
      content: 'Choose',
      attachment: [
        { type: 'Button', name: 'Yes', url: 'https://example.com/yes' },
        { type: 'Image', url: 'https://example.com/a.png' },
        { type: 'Button', name: 'No' },
        { type: 'Link', url: 'https://example.com/' },
        { type: 'Button', url: 'https://example.com/later' },
      ],
    },
    [
      'Choose',
      'https://example.com/a.png',
      'https://example.com/',
      '1. Yes: https://example.com/yes',
      '2. No',
      '3. https://example.com/later',
    ].join('\n'),
  ],
  ['no attachments are nothing', { type: 'Note', content: 'Hello', attachment: [] }, 'Hello'],
  ['what is no text is left out', { type: 'Note', content: 'Hello', url: 5 }, 'Hello'],
];

describe('what a message says', () => {
  for (const [what, object, expected] of CASES) {
    it(what, () => {
      assert.equal(textOf(activity(object)), expected);
    });
  }
});
