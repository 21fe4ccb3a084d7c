import assert from 'node:assert/strict';
import { it } from 'node:test';

import { renderTemplate } from './own-templates.ts';

it('a template that is rendered in time is sent, even if the process is held up meanwhile', async () => {
  const render = () => renderTemplate(1, { content: '{{ name | upcase }}' }, { name: 'Ada' }, '');
  // The thread takes requests from here on.
  await render();
  const rendered = render();
  await new Promise(setImmediate);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100);
  assert.equal((await rendered).content, 'ADA');
  assert.equal((await render()).content, 'ADA');
});

it('a template that only inserts values is sent, however long the process is held up', async (context) => {
  let now = 0;
  context.mock.method(performance, 'now', () => (now += 1_000));
  const content = { content: '{{ greeting }}, {{ name }}', name: '{{ name }}' };
  const { content: text } = await renderTemplate(1, content, { greeting: 'Hi', name: 'Ada' }, '');
  assert.equal(text, 'Hi, Ada');
});
