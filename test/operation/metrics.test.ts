import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text as readAll } from 'node:stream/consumers';
import { it } from 'node:test';

import { note } from '../support/programs/command.ts';
import { parsePrometheus } from '../support/prometheus.ts';
import { integrate } from '../support/service/activity.ts';
import { startTestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';

const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

for (const engine of ENGINES) {
  it(`metrics count accepted messages, each one of a batch and no refused one (${engine})`, async () => {
    await using sb = await startTestService(engine);
    const { application, app } = await sb.application();
    await integrate(app, application.id);
    await app.post('/1/message', note('one'));
    const { message } = note('several');
    await app.post('/1/messages', { messages: [message, message, message] });
    assert.equal((await app.post('/1/message', { message: {} })).status, 422);
    const { samples } = parsePrometheus((await sb.as(undefined).get('/metrics')).text);
    assert.equal(samples.get('switchboard_messages_accepted_total'), 4);
    const posted = 'switchboard_http_request_duration_seconds_count';
    const labels = (status: number) => `method="POST",route="/1/message",status="${status}"`;
    assert.equal(samples.get(`${posted}{${labels(202)}}`), 1);
    assert.equal(samples.get(`${posted}{${labels(422)}}`), 1);
    const took = samples.get(`switchboard_http_request_duration_seconds_sum{${labels(202)}}`) ?? 0;
    assert.ok(took > 0 && took < 60, `${took} s`);
  });
}

it('metrics label routes by pattern, so that neither ids nor unknown paths become labels', async () => {
  await using sb = await startTestService('sqlite');
  const { application } = await sb.application();
  await sb.api.get(`/1/applications/${application.id}`);
  await sb.api.get('/made/up/path');
  const { text } = await sb.as(undefined).get('/metrics');
  assert.match(text, /route="\/1\/applications\/:id"/);
  assert.doesNotMatch(text, new RegExp(`applications/${application.id}`));
  assert.doesNotMatch(text, /made/);
});

it('/metrics is served on loopback only, and not to forwarded requests', async () => {
  await using sb = await startTestService('sqlite');
  const anyone = sb.as(undefined);
  const { status, headers } = await anyone.get('/metrics');
  assert.equal(status, 200);
  assert.match(headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  const forwarded: Record<string, string>[] = [
    { 'x-forwarded-for': '127.0.0.1' },
    { 'x-forwarded-for': '203.0.113.9' },
    { 'x-forwarded-for': '' },
    { forwarded: 'for=127.0.0.1' },
    { via: '1.1 proxy' },
    { 'x-real-ip': '127.0.0.1' },
    { 'x-forwarded-proto': 'https' },
    { 'x-forwarded-host': 'messages.example.com' },
    { 'x-client-ip': '127.0.0.1' },
    { 'cf-connecting-ip': '203.0.113.9' },
    { 'true-client-ip': '203.0.113.9' },
    { 'x-envoy-external-address': '203.0.113.9' },
  ];
  for (const header of forwarded) {
    const refused = await anyone.get('/metrics', { headers: header });
    assert.deepEqual([refused.status, refused.body.code], [404, 'not_found']);
  }
});

it('/metrics is hidden from foreign Host headers, and from HTTP/1.0, which proxies send', async () => {
  await using sb = await startTestService('sqlite', {
    environment: { SWITCHBOARD_PUBLIC_URL: 'https://messages.example.com' },
  });
  const { port } = new URL(sb.url);
  const hosts = [`127.0.0.1:${port}`, 'localhost', `localhost:${port}`, '[::1]:80', 'LOCALHOST'];
  for (const host of hosts) assert.equal(await scrape(port, host), 200, host);
  const foreign = ['messages.example.com', 'rebound.example:8080', '10.0.0.1', 'localhost.example'];
  for (const host of [...foreign, '', '127.0.0.1.example', '[::2]']) {
    assert.equal(await scrape(port, host), 404, host);
  }
  assert.equal(await scrape(port, 'localhost', '1.0'), 404);
});

it('/metrics is served to configured networks under any host name', async () => {
  await using sb = await startTestService('sqlite', {
    environment: { SWITCHBOARD_METRICS_NETWORKS: '127.0.0.0/8' },
  });
  const { port } = new URL(sb.url);
  assert.equal(await scrape(port, 'switchboard.internal:8080'), 200);
  const through = { headers: { 'x-forwarded-for': '127.0.0.1' } };
  assert.equal((await sb.as(undefined).get('/metrics', through)).status, 404, 'unknown proxy');
});

it('/metrics checks the client address that a trusted proxy forwards', async () => {
  await using sb = await startTestService('sqlite', {
    environment: {
      SWITCHBOARD_METRICS_NETWORKS: '10.1.0.0/16',
      SWITCHBOARD_TRUST_PROXY: '127.0.0.1',
    },
  });
  const from = async (address: string) => {
    const headers = { 'x-forwarded-for': address };
    return (await sb.as(undefined).get('/metrics', { headers })).status;
  };
  assert.equal(await from('10.1.2.3'), 200);
  assert.equal(await from('10.2.2.3'), 404);
  assert.equal(await from('10.1.2.3, 203.0.113.9'), 404);
  assert.equal((await sb.as(undefined).get('/metrics')).status, 404, 'the proxy itself');
});

it('/metrics accepts its token from outside the configured networks', async () => {
  await using sb = await startTestService('sqlite', {
    environment: {
      SWITCHBOARD_METRICS_NETWORKS: '10.1.0.0/16',
      SWITCHBOARD_METRICS_TOKEN: 'scrape',
    },
  });
  assert.equal((await sb.as(undefined).get('/metrics')).status, 404);
  assert.equal((await sb.as('scrape').get('/metrics')).status, 200);
});

/** The status of a request with any Host header, which fetch cannot set. */
async function scrape(port: string, host: string, version = '1.1'): Promise<number> {
  const socket = connect(Number(port), '127.0.0.1');
  socket.end(`GET /metrics HTTP/${version}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  const answer = await readAll(socket);
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}

it(
  '/metrics is hidden from other machines',
  { skip: outside === undefined && 'this machine has no address but loopback' },
  async () => {
    await using sb = await startTestService('sqlite', {
      environment: { SWITCHBOARD_HOST: '0.0.0.0' },
    });
    const { port } = new URL(sb.url);
    assert.equal((await fetch(`http://127.0.0.1:${port}/metrics`)).status, 200);
    assert.equal((await fetch(`http://${outside}:${port}/metrics`)).status, 404);
    assert.equal((await fetch(`http://${outside}:${port}/healthz`)).status, 200);
  },
);

it('/metrics requires its token from every address if one is configured', async () => {
  await using sb = await startTestService('sqlite', {
    environment: { SWITCHBOARD_METRICS_TOKEN: 'scrape-me' },
  });
  assert.equal((await sb.as(undefined).get('/metrics')).status, 404);
  assert.equal((await sb.as('wrong').get('/metrics')).status, 404);
  assert.equal((await sb.api.get('/metrics')).status, 404);
  const through = { headers: { 'x-forwarded-for': '203.0.113.9' } };
  assert.equal((await sb.as('scrape-me').get('/metrics', through)).status, 200);
});
