import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ReceivedMessage } from '../channels/inbound.ts';
import { eventOf } from './inbound-events.ts';

const receiver = { id: 7, applicationId: 4, name: 'email', mode: 'live' } as const;
const object = async (received: Partial<ReceivedMessage>): Promise<unknown> => {
  const inboundEvent: ReceivedMessage = {
    what: 'message',
    key: 'k',
    from: { id: 'ada@example.org' },
    ...received,
  };
  const { data } = await eventOf(inboundEvent, receiver, 0);
  const { object: found }: { object: unknown } = JSON.parse(data);
  return found;
};

describe('a received message', () => {
  it('a received message has its title as a name, also without a text or with only a file', async () => {
    const note = { type: 'Note', name: 'Hello' };
    assert.deepEqual(await object({ title: 'Hello', text: 'Good morning' }), {
      ...note,
      content: 'Good morning',
    });
    assert.deepEqual(await object({ title: 'Hello' }), { ...note, content: '' });
    const media = [{ type: 'Document', reference: '1:2:0', name: 'a.pdf' }] as const;
    assert.partialDeepStrictEqual(await object({ title: 'Hello', media }), {
      ...note,
      attachment: [{ type: 'Document', name: 'a.pdf' }],
    });
    assert.partialDeepStrictEqual(await object({ media }), { type: 'Document', name: 'a.pdf' });
  });

  it('a received message is sanitized if it is HTML, with the original as its source', async () => {
    const text = '<p onclick="alert(1)">Good <b>morning</b><script>alert(2)</script></p>';
    assert.deepEqual(await object({ text, mediaType: 'text/html' }), {
      type: 'Note',
      content: '<p>Good <b>morning</b></p>',
      mediaType: 'text/html',
      source: { content: text, mediaType: 'text/html' },
    });
    const markdown = { text: '**a** <b>', mediaType: 'text/markdown' } as const;
    assert.deepEqual(await object(markdown), {
      type: 'Note',
      content: '**a** <b>',
      mediaType: 'text/markdown',
    });
  });

  it('a received message is passed on unchanged if it came as an object', async () => {
    const sent = { type: 'Image', url: 'https://example.com/a.png', content: 'Look' };
    assert.deepEqual(await object({ object: sent }), sent);
  });
});
