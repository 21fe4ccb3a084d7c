import assert from 'node:assert/strict';
import { it } from 'node:test';

import { startTestService } from '../support/service/service.ts';
import { openConnection, parseAnswer } from '../support/service/socket.ts';

const HEAD = 'POST /1/tokens HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const SLOW: Record<string, string> = {
  'nothing at all': '',
  'half of the first line': 'POST /1/tok',
  'half of the headers': HEAD,
  'half of the body': `${HEAD}Content-Length: 100\r\n\r\n{"email"`,
};

for (const [what, sent] of Object.entries(SLOW)) {
  it(`a client that sends ${what} and then nothing more gets 408`, async () => {
    await using sb = await startTestService('sqlite', {
      environment: { SWITCHBOARD_REQUEST_TIMEOUT: '1' },
    });
    using connection = await openConnection(sb.url);
    connection.send(sent);
    const { status, problem, headers } = parseAnswer(await connection.closed);
    assert.deepEqual([status, problem['status'], problem['code']], [408, 408, 'request_timeout']);
    assert.equal(headers['x-request-id'], problem['request_id']);
  });
}

it('a client that sends a byte now and then gets 408', async () => {
  await using sb = await startTestService('sqlite', {
    environment: { SWITCHBOARD_REQUEST_TIMEOUT: '1' },
  });
  using connection = await openConnection(sb.url);
  connection.send(`${HEAD}Content-Length: 100000\r\n\r\n`);
  const drip = setInterval(() => connection.send(' '), 50);
  const text = await connection.closed;
  clearInterval(drip);
  assert.equal(parseAnswer(text).status, 408);
});

const MALFORMED: Record<string, [text: string, status: number, code: string]> = {
  'is not HTTP': ['EHLO mail.example.com\r\n\r\n', 400, 'bad_request'],
  'has an invalid header': ['GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n', 400, 'bad_request'],
  'has two lengths': [
    `${HEAD}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    'bad_request',
  ],
  'has too many headers': [
    `GET / HTTP/1.1\r\nHost: x\r\nCookie: ${'a'.repeat(20_000)}\r\n\r\n`,
    431,
    'headers_too_large',
  ],
};

for (const [what, [text, status, code]] of Object.entries(MALFORMED)) {
  it(`a request that ${what} gets a problem document and is logged`, async () => {
    await using sb = await startTestService('sqlite');
    using connection = await openConnection(sb.url);
    connection.send(text);
    const answer = parseAnswer(await connection.closed);
    assert.equal(answer.status, status);
    assert.equal(answer.headers['content-type'], 'application/problem+json');
    const { problem } = answer;
    assert.deepEqual([problem['status'], problem['code']], [status, code]);
    const id = String(problem['request_id']);
    assert.equal(answer.headers['x-request-id'], id);
    assert.ok(sb.logs.some((line) => JSON.parse(line).request_id === id));
  });
}
