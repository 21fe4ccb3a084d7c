import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  type Planned,
  MORE,
  IMAGE,
  YES,
  activity,
  bare,
  channelWith,
  inThread,
  planned,
  rich,
  some,
} from '../../test/support/plans.ts';
import { toMarkdown } from '../lib/rich-text/writers.ts';
import type { ActivityObject } from '../model/activity.ts';
import { DEGRADED } from './degradations.ts';
import { makePlan } from './plan.ts';

describe('unsupported content', () => {
  const cases: Record<string, [Partial<ActivityObject>, Planned, unknown[], string[]]> = {
    'an image becomes a link': [
      IMAGE,
      { text: { max: 100 } },
      [{ text: 'a.png: https://example.com/a.png' }],
      ['image'],
    ],
    'an image with a caption becomes one text': [
      { ...IMAGE, content: 'See' },
      { text: { max: 100 } },
      [{ text: 'See\na.png: https://example.com/a.png' }],
      ['image'],
    ],
    'images below a text become one text with it': [
      { content: 'See', attachment: [IMAGE, { type: 'Video', url: 'https://example.com/v' }] },
      { text: { max: 100 } },
      [{ text: 'See\na.png: https://example.com/a.png\nhttps://example.com/v' }],
      ['image', 'video'],
    ],
    'a place becomes its name, its coordinates and a map': [
      { type: 'Place', name: 'Gate', latitude: 52.5, longitude: 13.4 },
      { text: { max: 100 } },
      [{ text: 'Gate\n52.5, 13.4\nhttps://www.openstreetmap.org/?mlat=52.5&mlon=13.4' }],
      ['place'],
    ],
    'buttons become a numbered list': [
      { content: 'Well?', attachment: [YES, MORE] },
      { text: { max: 100 } },
      [{ text: 'Well?\n1. Yes\n2. More: https://example.com/more' }],
      ['buttons'],
    ],
    'formatting becomes plain text': [
      { content: '**Now** [here](https://example.com)', mediaType: 'text/markdown' },
      { text: { max: 100 } },
      [{ text: 'Now here (https://example.com)' }],
      ['formatting'],
    ],
    'a link longer than a part is written out': [
      { content: `[offer](https://e.example/${'x'.repeat(30)})`, mediaType: 'text/markdown' },
      {},
      [
        { text: 'offer' },
        { text: '(https://e.example/xxxxxxxxxxx' },
        { text: 'xxxxxxxxxxxxxxxxxxx)' },
      ],
      ['length'],
    ],
    'a title is omitted': [{ name: 'Title', content: 'x' }, {}, [{ text: 'x' }], ['title']],
    'a reply becomes an ordinary message': [
      { content: 'x', inReplyTo: '7' },
      {},
      [{ text: 'x' }],
      ['reply'],
    ],
    'a reply to an unsent message becomes an ordinary message': [
      { content: 'x', inReplyTo: 'mine' },
      { renderers: rich, earlier: { reply: [] } },
      [{ text: 'x' }],
      ['reply'],
    ],
    'a thread is ignored': [
      { content: 'x' },
      { change: { context: '7' } },
      [{ text: 'x' }],
      ['thread'],
    ],
    'a long text becomes several messages': [
      { content: 'One sentence is here. Another one follows it.' },
      {},
      [{ text: 'One sentence is here.' }, { text: 'Another one follows it.' }],
      ['length'],
    ],
    'a caption over the limit becomes a separate message': [
      { ...IMAGE, content: 'A caption of some length.' },
      { renderers: rich },
      [{ url: IMAGE.url, text: '' }, { text: 'A caption of some length.' }],
      ['caption'],
    ],
    'audio becomes a file on channels with files': [
      { type: 'Audio', url: 'https://example.com/s' },
      { renderers: rich },
      [{ url: 'https://example.com/s', text: '' }],
      ['file'],
    ],
    'a file that the channel refuses becomes a link': [
      { type: 'Image', url: 'http://example.com/a' },
      { renderers: rich },
      [{ text: 'http://example.com/a' }],
      ['image'],
    ],
    'too many buttons become a list': [
      { content: 'x', attachment: [YES, YES, YES] },
      { renderers: rich },
      [{ text: 'x\n1. Yes\n2. Yes\n3. Yes' }],
      ['buttons'],
    ],
    'a button with a long name becomes a list': [
      { content: 'x', attachment: [{ type: 'Button', name: 'Perhaps not' }] },
      { renderers: rich },
      [{ text: 'x\n1. Perhaps not' }],
      ['buttons'],
    ],
    'buttons refused with the text become a list': [
      { content: 'Too much said', attachment: [YES] },
      {
        renderers: { ...rich, buttons: { ...some, add: () => ({ unsupported: 'too much said' }) } },
      },
      [{ text: 'Too much said\n1. Yes' }],
      ['buttons'],
    ],
    'buttons below an image without text become a list': [
      { ...IMAGE, attachment: [YES] },
      { renderers: rich },
      [{ url: IMAGE.url, text: '' }, { text: '1. Yes' }],
      ['buttons'],
    ],
  };
  for (const [name, [object, given, steps, degradations]] of Object.entries(cases)) {
    it(name, () => assert.deepEqual(planned(object, given), [steps, degradations]));
  }

  it('unsupported content is listed with the reason of the shared table', () => {
    const { degradations } = makePlan(activity(IMAGE), channelWith(bare, { max: 99 }), {
      recipient: 'bob',
      credentials: {},
    });
    const why = 'Example takes no images';
    assert.deepEqual(degradations, [{ what: 'image', became: DEGRADED.image, why }]);
  });
});

describe('supported content', () => {
  const cases: Record<string, [Partial<ActivityObject>, Planned, unknown[]]> = {
    'an image with a text keeps it as its caption': [
      { content: 'See', attachment: [IMAGE] },
      {},
      [{ url: IMAGE.url, text: 'See' }],
    ],
    'a text and several images are sent in order': [
      { content: 'See', attachment: [IMAGE, { ...IMAGE, url: 'https://example.com/b.png' }] },
      {},
      [
        { text: 'See' },
        { url: IMAGE.url, text: '' },
        { url: 'https://example.com/b.png', text: '' },
      ],
    ],
    'a collection is sent item by item': [
      {
        type: 'Collection',
        items: [{ type: 'Note', content: 'One' }, IMAGE, { type: 'Note', content: 'Two' }],
      },
      {},
      [{ text: 'One' }, { url: IMAGE.url, text: '' }, { text: 'Two' }],
    ],
    'all parts are sent as one message on channels that combine them': [
      { content: 'See', attachment: [IMAGE, IMAGE], inReplyTo: '7' },
      {
        renderers: {
          ...rich,
          merge: (requests) => ({ body: { all: requests.map(({ body }) => body['text']) } }),
        },
      },
      [{ all: ['See', '', ''], reply: '7' }],
    ],
    'a place is sent as a place': [
      { type: 'Place', latitude: 1, longitude: 2 },
      {},
      [{ latitude: 1, longitude: 2 }],
    ],
    'buttons are below the last text': [
      { content: 'One sentence is here. Another one follows it.', attachment: [YES, MORE] },
      {},
      [
        { text: 'One sentence is here.' },
        { text: 'Another one follows it.', buttons: ['Yes', 'More'] },
      ],
    ],
    'a reply in a thread replies with its first part': [
      { content: 'One sentence is here. Another one follows it.', inReplyTo: { id: 7 } },
      { change: { context: 'thread' } },
      [
        { text: 'One sentence is here.', reply: '7', thread: 'thread' },
        { text: 'Another one follows it.', thread: 'thread' },
      ],
    ],
    'a reply replies with all its parts where replies are threads': [
      { content: 'One sentence is here. Another one follows it.', inReplyTo: '7' },
      { renderers: { ...rich, reply: inThread, thread: inThread } },
      [
        { text: 'One sentence is here.', thread: '7' },
        { text: 'Another one follows it.', thread: '7' },
      ],
    ],
    'a reply may refer to our own message': [
      { content: 'x', inReplyTo: 'mine' },
      { earlier: { reply: [{ id: 'vendor-9' }] } },
      [{ text: 'x', reply: 'vendor-9' }],
    ],
    'a reply to our own message may be in the thread of another': [
      { content: 'x', inReplyTo: 'a', context: 'b' },
      { earlier: { reply: [{ id: '1' }], thread: [{ id: '2' }, { id: '3' }] } },
      [{ text: 'x', reply: '1', thread: '2' }],
    ],
    'formatting is escaped and never cut in half': [
      { content: 'A **bold sentence here** and 1 * 2', mediaType: 'text/markdown' },
      { text: { write: toMarkdown, max: 20 } },
      [{ text: 'A **bold sentence**' }, { text: '**here** and 1 \\* 2' }],
    ],
    'HTML is sent without its hidden content': [
      { content: '<p>a <b>b</b></p><script>c</script>', mediaType: 'text/html; charset=utf-8' },
      { text: { write: toMarkdown } },
      [{ text: 'a **b**' }],
    ],
    'markup-like plain text is unchanged': [
      { content: '*a* _b_ <b>c</b>' },
      { text: { write: toMarkdown, max: 99 } },
      [{ text: '\\*a\\* \\_b\\_ \\<b>c\\</b>' }],
    ],
  };
  for (const [name, [object, given, steps]] of Object.entries(cases)) {
    it(name, () => assert.deepEqual(planned(object, { renderers: rich, ...given })[0], steps));
  }
});

describe('a change to an earlier message', () => {
  const update = { change: { type: 'Update' as const }, renderers: rich };

  it('a change to an earlier message edits each of its parts', () => {
    const [steps] = planned({ content: 'New' }, { ...update, earlier: { changed: [{ id: '1' }] } });
    assert.deepEqual(steps, [{ does: 'edit', id: '1', text: 'New' }]);
  });

  it('a longer change sends additional parts', () => {
    const content = 'One sentence is here. Another one follows it.';
    const [steps] = planned({ content }, { ...update, earlier: { changed: [{ id: '1' }] } });
    assert.deepEqual(steps, [
      { does: 'edit', id: '1', text: 'One sentence is here.' },
      { text: 'Another one follows it.' },
    ]);
  });

  it('a shorter change deletes surplus parts where possible', () => {
    const remove = () => Promise.resolve({ outcome: 'sent' as const });
    const given = { ...update, earlier: { changed: [{ id: '1' }, { id: '2' }] } };
    assert.deepEqual(planned({ content: 'New' }, given)[0].length, 1);
    assert.deepEqual(planned({ content: 'New' }, { ...given, able: { remove } })[0], [
      { does: 'edit', id: '1', text: 'New' },
      { does: 'remove', id: '2' },
    ]);
  });

  it('a change does nothing when the earlier message has no known id', () => {
    assert.deepEqual(planned({ content: 'New' }, update)[0], []);
    assert.deepEqual(planned({ content: 'New' }, { ...update, change: { type: 'Delete' } })[0], []);
  });

  it('a deletion deletes all parts', () => {
    const [steps] = planned(
      {},
      { change: { type: 'Delete' }, earlier: { changed: [{ id: '1' }, { id: '2' }] } },
    );
    assert.deepEqual(steps, [
      { does: 'remove', id: '1' },
      { does: 'remove', id: '2' },
    ]);
  });
});
