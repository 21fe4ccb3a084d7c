import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type ResolveServices, findServers } from './servers.ts';

const record = (name: string, port: number, priority = 0, weight = 0) => ({
  name,
  port,
  priority,
  weight,
});

const having =
  (records: Record<string, ReturnType<typeof record>[]>): ResolveServices =>
  async (name) => {
    const found = records[name];
    return found ?? Promise.reject(new Error(`ENOTFOUND ${name}`));
  };

describe('the XMPP servers of a domain', () => {
  it('the XMPP servers of a domain come from its SRV records, by priority', async () => {
    const records = {
      '_xmpp-client._tcp.example.org': [record('c.x', 5222, 20), record('b.x', 5222, 5, 1)],
      '_xmpps-client._tcp.example.org': [record('a.x', 443, 5, 9)],
    };
    assert.deepEqual(await findServers('example.org', having(records)), [
      { host: 'a.x', port: 443, tls: true },
      { host: 'b.x', port: 5222, tls: false },
      { host: 'c.x', port: 5222, tls: false },
    ]);
  });

  it('the XMPP servers of a domain are the domain itself without usable SRV records', async () => {
    const itself = [{ host: 'example.org', port: 5222, tls: false }];
    assert.deepEqual(await findServers('example.org', having({})), itself);
    const none = { '_xmpp-client._tcp.example.org': [record('.', 0), record('', 0)] };
    assert.deepEqual(await findServers('example.org', having(none)), itself);
  });

  it('the XMPP servers of a domain are limited in number', async () => {
    const many = Array.from({ length: 50 }, (_, i) => record(`${i}.x`, 5222));
    const found = await findServers('a.b', having({ '_xmpp-client._tcp.a.b': many }));
    assert.equal(found.length, 4);
  });

  it('the XMPP servers of a domain are not looked up for IP addresses and local names', async () => {
    const never: ResolveServices = (name) => assert.fail(name);
    for (const host of ['127.0.0.1', '::1', 'localhost']) {
      assert.deepEqual(await findServers(host, never), [{ host, port: 5222, tls: false }]);
    }
  });

  it('the XMPP servers of a domain are looked up by the ASCII form of internationalized domain names', async () => {
    const asked: string[] = [];
    await findServers('пример.рф', (name) => {
      asked.push(name);
      return Promise.resolve([]);
    });
    assert.deepEqual(asked, [
      '_xmpp-client._tcp.xn--e1afmkfd.xn--p1ai',
      '_xmpps-client._tcp.xn--e1afmkfd.xn--p1ai',
    ]);
  });
});
