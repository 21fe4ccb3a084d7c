import assert from 'node:assert/strict';
import { it } from 'node:test';

import { integrate, message } from '../support/service/activity.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

onEachEngine('message content', (sb) => {
  it('invalid message content is refused with a pointer to the invalid part', async () => {
    const { application, app } = await sb().application();
    await integrate(app, application.id);
    const note = { type: 'Note', content: 'x' };
    for (const [pointer, change] of [
      ['/object/content', { object: { type: 'Note', content: ' \n' } }],
      [
        '/object/content',
        { object: { ...note, content: 'x'.repeat(20_001), mediaType: 'text/HTML' } },
      ],
      ['/object/inReplyTo', { object: { ...note, inReplyTo: ['a', 'b'] } }],
      ['/context', { context: true }],
      ['/object/type', { object: { type: 'Tombstone', id: 'a' } }],
      ['/object/items', { object: { type: 'Collection' } }],
      ['/object/items/0/url', { object: { type: 'Collection', items: [{ type: 'Image' }] } }],
      [
        '/object/attachment/0/name',
        { object: { ...note, attachment: [{ type: 'Button', name: ' ' }] } },
      ],
      [
        '/object/attachment/1/latitude',
        {
          object: {
            ...note,
            attachment: [
              { type: 'Button', name: 'a' },
              { type: 'Place', longitude: 1 },
            ],
          },
        },
      ],
    ] as const) {
      const { status, body } = await app.post('/1/message', message(change));
      assert.equal(status, 422, pointer);
      assert.equal(body.errors[0].pointer, `/message${pointer}`);
    }
  });
});
