import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { describe, it } from 'node:test';

import { BodyBudget } from '../../src/http/server/body-budget.ts';
import { integrate } from '../support/service/activity.ts';
import { openChat } from '../support/service/chat.ts';

const MEBIBYTE = 1024 * 1024;

/** Sends the head of a request and a part of its body. */
function request(url: string, path: string, headers: string[], body = Buffer.alloc(0)): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  const lines = [`POST ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''];
  socket.write(lines.join('\r\n'));
  if (body.length > 0) socket.write(body);
  return socket;
}

async function statusOf(socket: Socket): Promise<number> {
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return Number(bytes.toString().split(' ')[1]);
}

const LARGE = [`Content-Length: ${9 * MEBIBYTE}`, 'Content-Type: image/png'];

describe('the body of an unauthenticated request', () => {
  it('the body of an unauthenticated request is not awaited when the chat, its token or the hook is unknown', async () => {
    await using chat = await openChat('sqlite');
    const { url } = chat.service;
    const { integrationId: id } = chat;
    const bearer = 'Authorization: Bearer fake';
    const refused: [string, string[], number][] = [
      ['/chat/999999/files', LARGE, 404],
      ['/chat/999999/session', ['Content-Length: 100', 'Content-Type: application/json'], 404],
      [`/chat/${id}/files`, LARGE, 401],
      [`/chat/${id}/files`, [...LARGE, bearer], 401],
      ['/1/hooks/999999/wrong', ['Content-Length: 900000', 'Content-Type: application/json'], 404],
    ];
    for (const [path, headers, status] of refused) {
      assert.equal(await statusOf(request(url, path, headers)), status, path);
    }
    const { app, application } = await chat.service.application();
    const telegram = await integrate(app, application.id, { name: 'telegram', token: '1:fake' });
    const hook = `/1/hooks/${telegram.id}/wrong`;
    assert.equal(await statusOf(request(url, hook, ['Content-Length: 900000'])), 404);
  });

  it('the body of an unauthenticated request is refused once the buffered bytes of its IP address reach the limit', async () => {
    await using chat = await openChat('sqlite');
    const { body } = await chat.begin();
    const headers = [...LARGE, `Authorization: Bearer ${body.token}`];
    const path = `/chat/${chat.integrationId}/files`;
    const part = Buffer.alloc(8.5 * MEBIBYTE);
    const first = request(chat.service.url, path, headers, part);
    const second = request(chat.service.url, path, headers, part);
    const refused = await Promise.race(
      [first, second].map(async (socket) => {
        assert.equal(await statusOf(socket), 503);
        return socket;
      }),
    );
    const other = refused === first ? second : first;
    // The memory of refused and canceled requests is free again.
    const end = Buffer.alloc(0.5 * MEBIBYTE);
    const answered = statusOf(other);
    other.write(end);
    assert.equal(await answered, 201);
    const third = request(chat.service.url, path, headers, part);
    const created = statusOf(third);
    third.write(end);
    assert.equal(await created, 201);
  });
});

describe('the memory budget for request bodies', () => {
  it('limits all IP addresses together and each separately', () => {
    const budget = new BodyBudget({ total: 100, perAddress: 60 });
    assert.equal(budget.reserve('a', 60), true);
    assert.equal(budget.reserve('a', 1), false);
    assert.equal(budget.reserve('b', 40), true);
    assert.equal(budget.reserve('c', 1), false);
    budget.release('a', 60);
    assert.equal(budget.reserve('c', 60), true);
    assert.equal(budget.reserve('b', 1), false);
  });
});
