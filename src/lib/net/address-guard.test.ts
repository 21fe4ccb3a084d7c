import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { describe, it } from 'node:test';

import { createGuard } from './address-guard.ts';

const none = new BlockList();
const guard = createGuard({ allow: none, allowLoopback: false });

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '11.0.0.1',
  '100.63.255.255',
  '100.128.0.0',
  '149.154.167.220',
  '168.63.129.15',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2a00:1450:4001:830::200e',
];

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'addresses of this network': ['0.0.0.0', '0.1.2.3', '::'],
  'loopback addresses': ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '0000::0001'],
  private: ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
  'link-local addresses, including cloud metadata services': [
    '169.254.169.254',
    'fe80::1',
    'febf::1',
    'fe80::1%lo',
    '2a00::1%lo',
  ],
  "Azure's virtual host address": ['168.63.129.16'],
  'carrier-grade NAT addresses': ['100.64.0.1', '100.127.255.255', '100.100.100.200'],
  'protocol assignments': [
    '192.0.0.1',
    '192.0.0.192',
    '192.88.99.1',
    '2001::1',
    '2001:1ff:ffff::1',
  ],
  'documentation addresses': ['192.0.2.1', '198.51.100.7', '203.0.113.9', '2001:db8::1', '3fff::1'],
  'benchmarking addresses': ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  reserved: ['240.0.0.1', '255.255.255.255', '4000::1', '5f00::1', 'e000::1'],
  'unique local addresses': ['fc00::1', 'fd00:ec2::254', 'fdff:ffff::1'],
  'site-local addresses': ['fec0::1', 'feff::1'],
  discarded: ['100::1'],
  'IPv4 addresses embedded in IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:7f00:0001',
    '::FFFF:10.0.0.1',
    '::127.0.0.1',
    '::7f00:1',
    '::8.8.8.8',
    '64:ff9b::7f00:1',
    '64:ff9b::127.0.0.1',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::',
    '2002:a00:1::1',
    '2001:0:7f00:1::',
    '::ffff:0:127.0.0.1',
  ],
  'text that is not an address': [
    '',
    'localhost',
    '127.1',
    '0x7f.1',
    '2130706433',
    '127.0.0.1:80',
    '[::1]',
    ' ::1',
  ],
};

describe('address guard', () => {
  it('allows public addresses', () => {
    for (const address of PUBLIC) assert.equal(guard(address, 443), true, address);
  });

  for (const [kind, addresses] of Object.entries(REFUSED)) {
    it(`blocks ${kind}`, () => {
      for (const address of addresses) assert.equal(guard(address, 443), false, address);
    });
  }

  it('allows loopback if configured, and nothing else that is blocked', () => {
    const local = createGuard({ allow: none, allowLoopback: true });
    const loopback = [
      ...(REFUSED['loopback addresses'] ?? []),
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
    ];
    for (const address of loopback) assert.equal(local(address, 443), true, address);
    for (const address of Object.values(REFUSED).flat()) {
      if (!loopback.includes(address) && address !== '0:0:0:0:0:ffff:7f00:0001') {
        assert.equal(local(address, 443), false, address);
      }
    }
  });

  it('allows the networks that the operator lists, in any notation of the address', () => {
    const allow = new BlockList();
    allow.addSubnet('10.1.0.0', 16, 'ipv4');
    allow.addSubnet('fd00::', 8, 'ipv6');
    const inside = createGuard({ allow, allowLoopback: false });
    for (const address of ['10.1.0.1', '10.1.255.255', '::ffff:10.1.2.3', 'fd12::1', '8.8.8.8']) {
      assert.equal(inside(address, 443), true, address);
    }
    for (const address of ['10.2.0.1', '::ffff:10.2.0.1', 'fc00::1', '127.0.0.1', '::10.1.0.1']) {
      assert.equal(inside(address, 443), false, address);
    }
  });
});
