import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { loadSimulator } from '../../src/sandbox/index.ts';
import { TOKEN as GRAPH_TOKEN } from '../../src/sandbox/vendors/meta/graph.ts';
import { NUMBER_ID } from '../../src/sandbox/vendors/meta/whatsapp.ts';
import { TOKEN as WECHAT_TOKEN } from '../../src/sandbox/vendors/wechat/simulator.ts';
import { openHttp } from '../emulators/server/http.ts';
import { MemoryPhone } from '../emulators/server/memory-phone.ts';
import { type SandboxService, openSandboxes } from '../support/service/sandbox.ts';

/* What the simulators themselves refuse, in the vendor's own format. The checks before are the service's. */

const HOUR_MS = 3_600_000;

describe('a simulator refuses free text to a person who never wrote', () => {
  let sandboxes: SandboxService;
  before(async () => {
    sandboxes = await openSandboxes('sqlite');
  });
  after(() => sandboxes[Symbol.asyncDispose]());

  for (const [channel, status, code] of [
    ['whatsapp', '400', '"code":131047'],
    ['twilio', '400', '"code":63016'],
    ['messenger', '403', '"error_subcode":2018278'],
    ['instagram', '403', '"error_subcode":2018278'],
    ['wechat', '200', '"errcode":45015'],
    ['vonage', '422', 'api-errors/messages#1340"'],
  ] as const) {
    it(channel, async () => {
      const sandbox = await sandboxes.open(channel);
      const silent = sandbox.simulator.people.find(({ name }) => name.startsWith('Silent'));
      assert.ok(silent);
      const id = await sandbox.send({ type: 'Note', content: 'Hello' }, silent.address);
      const { error } = await sandbox.message(id, ({ state }) => state === 'failed');
      assert.equal(error.code, 'window_closed');
      const { body } = await sandbox.app.get(`/1/messages/${id}/attempts`);
      assert.equal(body.data.length, 1);
      assert.equal(body.data[0].status, status);
      assert.ok(body.data[0].answer.includes(code), body.data[0].answer);
      assert.deepEqual(await sandbox.phone(), []);
      await sandbox.act('reply', { from: silent.address, text: 'Hello' });
      const second = await sandbox.send({ type: 'Note', content: 'Hello' }, silent.address);
      await sandbox.message(second, ({ state }) => /^(sent|delivered|read)$/.test(state));
    });
  }
});

/** A simulator that listens, with a person who wrote some hours ago. */
async function serve(channel: string, hoursAgo = 0) {
  const simulator = await loadSimulator(channel);
  assert.ok(simulator);
  const [{ address }] = simulator.people;
  const phone = new MemoryPhone();
  phone.entries.push({
    number: 0,
    person: address,
    author: 'person',
    vendorId: 'written',
    createdAt: phone.now() - hoursAgo * HOUR_MS,
    entry: { kind: 'message', text: 'Hello' },
  });
  const peer = await openHttp((request) => simulator.respond(request, phone));
  return {
    address,
    phone,
    async post(path: string, json: unknown) {
      const headers = {
        'content-type': 'application/json',
        authorization: `Bearer ${GRAPH_TOKEN}`,
      };
      const body = JSON.stringify(json);
      const response = await fetch(`${peer.url}${path}`, { method: 'POST', headers, body });
      return { status: response.status, body: JSON.parse(await response.text()) };
    },
    [Symbol.asyncDispose]: () => peer.close(),
  };
}

const whatsAppMessage = (to: string, content: object) => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to,
  ...content,
});

describe('a simulator refuses free text once the window is over', () => {
  for (const [channel, hours, path, messageTo, refusal] of [
    [
      'whatsapp',
      24,
      `/${NUMBER_ID}/messages`,
      (to: string) => whatsAppMessage(to, { type: 'text', text: { body: 'Hello' } }),
      { error: { code: 131_047, type: 'OAuthException' } },
    ],
    ...(['RESPONSE', 'MESSAGE_TAG'] as const).map(
      (type) =>
        [
          'messenger',
          type === 'RESPONSE' ? 24 : 168,
          '/me/messages',
          (id: string) => ({
            messaging_type: type,
            ...(type === 'MESSAGE_TAG' && { tag: 'HUMAN_AGENT' }),
            recipient: { id },
            message: { text: 'Hello' },
          }),
          { error: { code: 10, error_subcode: 2_018_278, type: 'OAuthException' } },
        ] as const,
    ),
    [
      'instagram',
      24,
      '/me/messages',
      (id: string) => ({ recipient: { id }, message: { text: 'Hello' } }),
      { error: { code: 10, error_subcode: 2_018_278, type: 'OAuthException' } },
    ],
    [
      'wechat',
      48,
      `/cgi-bin/message/custom/send?access_token=${WECHAT_TOKEN}`,
      (touser: string) => ({ touser, msgtype: 'text', text: { content: 'Hello' } }),
      { errcode: 45_015 },
    ],
  ] as const) {
    it(`${channel}, after ${hours} hours`, async () => {
      await using open = await serve(channel, hours - 0.1);
      const accepted = await open.post(path, messageTo(open.address));
      assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
      assert.equal(open.phone.entries.length, 2);
      await using closed = await serve(channel, hours);
      const { body } = await closed.post(path, messageTo(closed.address));
      assert.partialDeepStrictEqual(body, refusal);
      assert.equal(closed.phone.entries.length, 1);
    });
  }
});

it('the simulator of WeChat refuses a sixth message in answer to one (45047)', async () => {
  await using vendor = await serve('wechat');
  const path = `/cgi-bin/message/custom/send?access_token=${WECHAT_TOKEN}`;
  const content = { touser: vendor.address, msgtype: 'text', text: { content: 'Hello' } };
  const codes = [];
  for (let i = 0; i < 6; i++) codes.push((await vendor.post(path, content)).body.errcode);
  assert.deepEqual(codes, [0, 0, 0, 0, 0, 45_047]);
  const [written] = vendor.phone.entries;
  assert.ok(written);
  vendor.phone.entries.push({ ...written, number: 7 });
  assert.equal((await vendor.post(path, content)).body.errcode, 0);
});

it('the simulator of WeChat refuses media of another type than the upload (40007)', async () => {
  await using vendor = await serve('wechat');
  const file = { id: '7', name: 'a.amr', mediaType: 'audio/amr', bytes: Buffer.from('sound') };
  await vendor.phone.putFile(file);
  const path = `/cgi-bin/message/custom/send?access_token=${WECHAT_TOKEN}`;
  const codes = [];
  for (const msgtype of ['image', 'video', 'voice']) {
    const content = { msgtype, [msgtype]: { media_id: 'fake-media-voice-7' } };
    const { body } = await vendor.post(path, { touser: vendor.address, ...content });
    codes.push(body.errcode);
  }
  assert.deepEqual(codes, [40_007, 40_007, 0]);
});

describe('the simulator of WhatsApp refuses templates', () => {
  const shipped = { name: 'order_shipped', language: { code: 'en_US' } };
  const image = (link: string) => ({ type: 'image', image: { link } });
  const header = { type: 'header', parameters: [image('https://www.example.com/parcel.png')] };
  const texts = (...values: string[]) => values.map((text) => ({ type: 'text', text }));
  const components = [
    header,
    { type: 'body', parameters: texts('Ada', '4711') },
    { type: 'button', sub_type: 'url', index: '0', parameters: texts('4711') },
  ];
  for (const [what, code, status, template] of [
    ['with too few parameters', 132_000, 400, { ...shipped, components: [header] }],
    ['in an unknown language', 132_001, 404, { ...shipped, language: { code: 'de' }, components }],
    ['of an unknown name', 132_001, 404, { name: 'nothing', language: { code: 'en_US' } }],
    [
      'with a text instead of an image',
      132_012,
      400,
      { ...shipped, components: [{ type: 'header', parameters: texts('x') }] },
    ],
    ['that are paused', 132_015, 400, { name: 'spring_sale', language: { code: 'en_US' } }],
    ['that are disabled', 132_016, 400, { name: 'old_offer', language: { code: 'en_US' } }],
  ] as const) {
    it(`${what} (${code})`, async () => {
      await using vendor = await serve('whatsapp', 25);
      const post = (one: object) =>
        vendor.post(
          `/${NUMBER_ID}/messages`,
          whatsAppMessage(vendor.address, { type: 'template', template: one }),
        );
      const refused = await post(template);
      assert.deepEqual([refused.status, refused.body.error.code], [status, code]);
      assert.equal(vendor.phone.entries.length, 1);
      assert.equal((await post({ ...shipped, components })).status, 200);
    });
  }
});
