import assert from 'node:assert/strict';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';

import { integrate, message } from '../support/service/activity.ts';
import type { Client } from '../support/service/client.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const FILES: Readonly<Record<string, Buffer>> = {
  '/pixel.png': PIXEL,
  '/page.png': Buffer.from('<script>alert(1)</script>'),
  '/drawing.png': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  '/huge.png': Buffer.concat([PIXEL, Buffer.alloc(6 * 1024 * 1024)]),
};

onEachEngine('images of messages', (sb) => {
  let server: Server;
  let site: string;
  const asked: string[] = [];
  before(async () => {
    server = createServer(({ url = '' }, response) => {
      asked.push(url);
      const file = FILES[url];
      response.writeHead(file ? 200 : 404, { 'content-type': 'image/png' });
      response.end(file);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  async function send(urls: readonly string[]): Promise<{ app: Client; id: number }> {
    const { app, application } = await sb().application();
    const { id } = await integrate(app, application.id, { name: 'webmessenger', token: undefined });
    const generator = { type: 'Service', id: String(id) };
    const attachment = urls.map((url) => ({ type: 'Image', url }));
    const object = { type: 'Note', content: 'Look', attachment };
    const { body } = await app.post('/1/message', message({ generator, object }));
    return { app, id: body.id };
  }
  const imageOf = ({ app, id }: { app: Client; id: number }, url: string) =>
    fetch(`${sb().url}/1/messages/${id}/image?url=${encodeURIComponent(url)}`, {
      headers: { authorization: `Bearer ${app.token}` },
    });

  it('an image is loaded by the service, with the type of its content', async () => {
    const url = `${site}/pixel.png`;
    const response = await imageOf(await send([url]), url);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'image/png');
    assert.match(response.headers.get('content-security-policy') ?? '', /sandbox/);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), PIXEL);
  });

  it('files that are no images, too large or missing are left out', async () => {
    const urls = ['page.png', 'drawing.png', 'huge.png', 'none.png'].map(
      (name) => `${site}/${name}`,
    );
    const sent = await send([...urls, 'http://10.0.0.1/private.png']);
    for (const url of [...urls, 'http://10.0.0.1/private.png']) {
      assert.equal((await imageOf(sent, url)).status, 204, url);
    }
  });

  it('only images of the message are loaded, for its application', async () => {
    const url = `${site}/pixel.png`;
    const sent = await send([url]);
    const other = await send([]);
    const already = asked.length;
    assert.equal((await imageOf(sent, `${site}/other.png`)).status, 404);
    assert.equal((await imageOf(sent, '')).status, 404);
    assert.equal((await imageOf({ ...sent, app: other.app }, url)).status, 404);
    assert.equal((await imageOf({ ...other, id: sent.id }, url)).status, 404);
    const anonymous = await fetch(
      `${sb().url}/1/messages/${sent.id}/image?url=${encodeURIComponent(url)}`,
    );
    assert.equal(anonymous.status, 401);
    assert.equal(asked.length, already);
  });
});
