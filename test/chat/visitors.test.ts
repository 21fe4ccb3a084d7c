import assert from 'node:assert/strict';
import { it } from 'node:test';

import { WebSocket } from 'ws';

import { integrate } from '../support/service/activity.ts';
import { SECRET, identity, openChat } from '../support/service/chat.ts';
import { feedOf } from '../support/service/feed.ts';

const now = () => Math.floor(Date.now() / 1000);

it('the web chat recognizes a guest by token, not by id', async () => {
  await using chat = await openChat('sqlite');
  const guest = await chat.visit();
  assert.match(guest.id, /^guest-[\w-]{22}$/);
  const again = await chat.visit({ token: guest.token });
  assert.equal(again.id, guest.id);
  for (const token of [guest.id, '', 'x', `${guest.token}x`, guest.token.slice(0, -4)]) {
    const { body } = await chat.begin({ token });
    assert.notEqual(body.visitor, guest.id, token);
  }
  const { body } = await chat.begin({ visitor: guest.id });
  assert.notEqual(body.visitor, guest.id);
});

it('the web chat shows a visitor only their own conversation', async () => {
  await using chat = await openChat('sqlite');
  const [ada, bob] = [await chat.visit(), await chat.visit()];
  await ada.say('I am Ada');
  await chat.send(ada.id, 'For Ada');
  await chat.send(bob.id, 'For Bob');
  await ada.sees('For Ada');
  await bob.sees('For Bob');
  bob.do({ do: 'earlier', before: 1_000_000 });
  await bob.waitFor(({ is }) => is === 'earlier');
  assert.deepEqual(ada.texts, ['I am Ada', 'For Ada']);
  assert.deepEqual(bob.texts, ['For Bob']);
});

it('the web chat refuses a token of another integration', async () => {
  await using chat = await openChat('sqlite', { secret: SECRET });
  const { id } = await integrate(chat.app, chat.applicationId, {
    name: 'webmessenger',
    token: undefined,
    secret: 'another-fake-identity-key-of-32-bytes',
  });
  const guest = await chat.visit();
  const { body } = await chat.begin({ token: guest.token }, id);
  assert.notEqual(body.visitor, guest.id);
  const refused = await chat.begin({ identity: identity({ sub: 'user-7' }) }, id);
  assert.equal(refused.body.code, 'visitor_refused');
});

it('the web chat accepts an identity signed by the application and passes the name on', async () => {
  await using chat = await openChat('sqlite', { secret: SECRET });
  const signed = identity({ sub: 'user-7', name: 'Ada' });
  const id = await chat.send('user-7', 'Written before you came');
  await chat.reaches(id, 'sent');
  const ada = await chat.visit({ identity: signed });
  assert.equal(ada.id, 'user-7');
  assert.deepEqual(ada.texts, ['Written before you came']);
  await ada.say('Thank you');
  const { data } = await chat.event('message.received');
  assert.deepEqual(data.actor, { type: 'Person', id: 'user-7', name: 'Ada' });
  // From another browser, too.
  const elsewhere = await chat.visit({ identity: identity({ sub: 'user-7' }) });
  assert.deepEqual(elsewhere.texts, ['Written before you came', 'Thank you']);
});

it('a visitor with a signed identity is the contact with that external id, and a guest is no contact', async () => {
  await using chat = await openChat('sqlite', { secret: SECRET });
  const { body: contact } = await chat.app.post('/1/contacts', { external_id: 'user-7' });
  const guest = await chat.visit();
  await guest.say('I am user-7');
  const ada = await chat.visit({ identity: identity({ sub: 'user-7' }) });
  await ada.say('It is me');
  const received = (await feedOf(chat.app)).filter(({ type }) => type === 'message.received');
  assert.deepEqual(
    received.map(({ data }) => data.contact_id),
    [undefined, contact.id],
  );
  const { body } = await chat.app.get(`/1/contacts/${contact.id}`);
  const [address] = body.addresses;
  assert.deepEqual([address.channel, address.address], ['webmessenger', 'user-7']);
});

it('the web chat refuses every other identity', async () => {
  await using chat = await openChat('sqlite', { secret: SECRET });
  const guest = await chat.visit();
  const good = identity({ sub: 'user-7' });
  const [header = '', claims = '', signature = ''] = good.split('.');
  const other = Buffer.from(JSON.stringify({ sub: 'user-8', exp: now() + 60 })).toString(
    'base64url',
  );
  const bad: Record<string, string> = {
    'another key': identity({ sub: 'user-7' }, { secret: 'not-a-secret-of-ours-but-long-enough' }),
    'other claims': `${header}.${other}.${signature}`,
    'no signature': `${header}.${claims}.`,
    'algorithm none': identity({ sub: 'user-7' }, { header: { alg: 'none' } }),
    'another algorithm': identity({ sub: 'user-7' }, { header: { alg: 'HS512' } }),
    expired: identity({ sub: 'user-7', exp: now() - 60 }),
    'not valid yet': identity({ sub: 'user-7', nbf: now() + 600 }),
    'no expiry': identity({ sub: 'user-7', exp: undefined }),
    'no sub': identity({}),
    'a sub that is not a string': identity({ sub: 7 }),
    'a sub that is not a valid recipient': identity({ sub: 'two words' }),
    'a guest id': identity({ sub: guest.id }),
    'too long': identity({ sub: 'user-7', x: 'x'.repeat(5000) }),
    nonsense: 'nonsense',
    nothing: '',
  };
  for (const [what, signed] of Object.entries(bad)) {
    const { status, body } = await chat.begin({ identity: signed });
    assert.deepEqual([status, body.code], [401, 'visitor_refused'], what);
  }
  assert.equal((await chat.begin({ identity: good })).status, 200);
});

it('the web chat refuses identities without a secret or with one that is too short', async () => {
  for (const secret of ['', 'fake-and-short']) {
    await using chat = await openChat('sqlite', secret === '' ? {} : { secret });
    for (const key of [secret, SECRET]) {
      const { body } = await chat.begin({ identity: identity({ sub: 'user-7' }, { secret: key }) });
      assert.equal(body.code, 'visitor_refused');
    }
  }
});

it('the web chat ends a token with its identity', async () => {
  await using chat = await openChat('sqlite', { secret: SECRET });
  const { body } = await chat.begin({ identity: identity({ sub: 'user-7', exp: now() + 60 }) });
  const { store } = chat.service;
  const purpose = `chat ${chat.integrationId}`;
  assert.ok(store.tickets.redeem(purpose, body.token, Date.now()));
  assert.equal(store.tickets.redeem(purpose, body.token, Date.now() + 66_000), undefined);
  const again = await chat.begin({ token: body.token });
  assert.equal(again.body.visitor, 'user-7');
  assert.equal(store.tickets.redeem(purpose, again.body.token, Date.now() + 66_000), undefined);
});

it('the web chat logs neither tokens nor messages', async () => {
  await using chat = await openChat('sqlite', { secret: SECRET });
  const signed = identity({ sub: 'user-7', name: 'Canary Name' });
  const { body } = await chat.begin({ identity: signed });
  await chat.service.as(undefined).get(`/chat/${chat.integrationId}?identity=${signed}`);
  const guest = await chat.visit({ identity: signed });
  await guest.say('a canary of a text');
  await chat.reaches(await chat.send('user-7', 'another canary'), 'sent');
  const logs = chat.service.logs.join('\n');
  assert.match(logs, /\/chat\/\d+\/session/);
  const [, ticket = ''] = String(body.socket).split('ticket=');
  for (const secret of [
    body.token,
    ticket,
    decodeURIComponent(ticket),
    signed,
    guest.token,
    SECRET,
  ]) {
    assert.ok(secret.length > 20 && !logs.includes(secret));
  }
  assert.doesNotMatch(logs, /canary/i);
});

it('the web chat opens no socket without its own ticket', async () => {
  await using chat = await openChat('sqlite');
  const { body } = await chat.begin();
  const path = `/chat/${chat.integrationId}/socket`;
  for (const [target, status] of [
    [`${path}?ticket=nonsense`, 401],
    [`${path}?ticket=${encodeURIComponent(body.token)}`, 401],
    [`${path}?other=1`, 401],
    [body.socket.replace(`/${chat.integrationId}/`, '/999/'), 401],
    [path, 404],
    ['/chat/x/socket?ticket=1', 404],
  ]) {
    assert.equal(await refusalOf(chat.service.url, target), status, target);
  }
});

it('the web chat is closed while its integration is disabled and missing for other channels', async () => {
  await using chat = await openChat('sqlite');
  const guest = await chat.visit();
  const fields = { name: 'webmessenger', state: 'disable' };
  await chat.app.put(`/1/integrations/${chat.integrationId}`, fields);
  assert.equal((await chat.begin()).body.code, 'integration_disabled');
  guest.do({ do: 'say', key: 'k'.repeat(22), text: 'Hello?', files: [] });
  assert.deepEqual(await guest.isClosed(), [1008, 'closed']);
  assert.deepEqual(await chat.events('message.received'), []);
  const { id } = await integrate(chat.app, chat.applicationId);
  assert.equal((await chat.begin({}, id)).status, 404);
  assert.equal((await chat.app.get(`/chat/${id}`)).status, 404);
  assert.equal((await chat.app.get('/chat/x')).status, 404);
});

function refusalOf(url: string, path: string): Promise<number | undefined> {
  const socket = new WebSocket(url.replace('http', 'ws') + path);
  return new Promise((resolve, reject) => {
    socket.on('unexpected-response', (_request, { statusCode }) => {
      socket.terminate();
      resolve(statusCode);
    });
    socket.on('open', () => reject(new Error(`${path} was opened`)));
    socket.on('error', () => {});
  });
}
