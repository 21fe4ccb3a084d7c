import assert from 'node:assert/strict';
import { it } from 'node:test';

import { integrate, message } from '../support/service/activity.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

onEachEngine('buttons', (sb) => {
  const make = async (fields: Record<string, unknown> = {}) => {
    const { application, app } = await sb().application();
    await integrate(app, application.id, fields);
    return (button: object, path = '/1/message') =>
      app.post(
        path,
        message({
          object: {
            type: 'Note',
            content: 'Well?',
            attachment: [{ type: 'Button', name: 'Yes', ...button }],
          },
        }),
      );
  };

  it('buttons may link to a page, a phone number or an email address, or have a value', async () => {
    const send = await make();
    for (const button of [
      {},
      { value: '' },
      { value: 'order-7:yes' },
      { value: 'x'.repeat(64) },
      { url: 'https://example.com/' },
      { url: 'tel:+1-555-0100' },
      { url: 'TEL:*100#' },
      { url: 'mailto:ada@example.com?subject=Order%207' },
      { url: 'value_1' },
      { url: 'javascript:alert(1)' },
      { url: 'https://example.com/', value: 'order-7' },
    ]) {
      assert.equal((await send(button)).status, 202, JSON.stringify(button));
    }
  });

  it('buttons are refused with an invalid link or a value that could not be returned unchanged', async () => {
    const send = await make();
    for (const [field, value] of [
      ['url', 'https://'],
      ['url', 'https://exa mple.com'],
      ['url', 'tel:'],
      ['url', 'tel:call me'],
      ['url', 'mailto:ada'],
      ['url', ' value'],
      ['value', 'order '],
      ['value', 'a\nb'],
      ['value', '\ud800'],
      ['value', 'x'.repeat(2001)],
      ['value', 7],
    ] as const) {
      const { status, body } = await send({ [field]: value });
      const pointer = `/message/object/attachment/0/${field}`;
      assert.deepEqual(
        [status, body.code, body.errors[0].pointer],
        [422, 'invalid_fields', pointer],
        String(value),
      );
    }
  });

  it('buttons are refused with a value that the channel cannot return, and a dry run reports it', async () => {
    const send = await make();
    const long = { value: '✓'.repeat(22) };
    const { status, body } = await send(long);
    assert.deepEqual([status, body.code], [422, 'button_value_too_long']);
    const { status: dry, body: preview } = await send(long, '/1/message?dry_run=true');
    assert.deepEqual([dry, preview.error.code], [200, 'button_value_too_long']);
  });

  it('buttons may have any value on channels without buttons, which a dry run reports', async () => {
    const send = await make({ name: 'callr', token: 'a', secret: 'b', username: 'Acme' });
    const { body: routed } = await send({ value: 'x'.repeat(300) }, '/1/message?dry_run=true');
    const kinds = routed.degraded?.map(({ what }: { what: string }) => what);
    assert.deepEqual(kinds, ['buttons', 'value']);
  });

  it('buttons do not change the allowed addresses of media: http and https only', async () => {
    const { application, app } = await sb().application();
    await integrate(app, application.id);
    const attachment = [{ type: 'Image', url: 'tel:+15550100' }];
    const object = { type: 'Note', content: 'Look', attachment };
    const { status, body } = await app.post('/1/message', message({ object }));
    assert.deepEqual([status, body.errors[0].pointer], [422, '/message/object/attachment/0/url']);
  });
});
