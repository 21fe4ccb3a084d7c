import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/*
 * Which addresses a request may reach whose target a tenant chose: public ones. What is not public is
 * listed at https://www.iana.org/assignments/iana-ipv4-special-registry and
 * https://www.iana.org/assignments/iana-ipv6-special-registry.
 */

/** Whether a request may reach this port of an address. What is not an address may not be reached. */
export type Guard = (address: string, port: number) => boolean;

export interface GuardOptions {
  /** Networks that may be reached although they are not public. */
  allow: BlockList;
  allowLoopback: boolean;
  /** The port that the service itself listens on: closed on every address of this machine, whatever is allowed. */
  ownPort?(): number;
}

const REFUSED_V4 = networks('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32', // the host beneath a virtual machine at Azure
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/**
 * All that is public lies here. What lies elsewhere is private, or hides an IPv4 address: `::127.0.0.1`,
 * `64:ff9b::7f00:1`.
 */
const UNICAST_V6 = networks('ipv6', ['2000::/3']);

const REFUSED_V6 = networks('ipv6', [
  '2001::/23', // protocols and tunnels, Teredo among them
  '2001:db8::/32',
  '2002::/16', // 6to4 hides an IPv4 address
  '2620:4f:8000::/48',
  '3fff::/20',
]);

const LOOPBACK_V4 = networks('ipv4', ['127.0.0.0/8']);

/** A connection to `0.0.0.0` ends at this machine, too. */
const THIS_MACHINE_V4 = networks('ipv4', ['0.0.0.0/8', '127.0.0.0/8']);
const THIS_MACHINE_V6 = new Set(['::', '::1']);

export function createGuard({ allow, allowLoopback, ownPort }: GuardOptions): Guard {
  const mayReachV4 = (address: string) =>
    !REFUSED_V4.check(address, 'ipv4') ||
    allow.check(address, 'ipv4') ||
    (allowLoopback && LOOPBACK_V4.check(address, 'ipv4'));

  return (address, port) => {
    if (port === ownPort?.() && isThisMachine(address)) return false;
    const version = isIP(address);
    if (version === 4) return mayReachV4(address);
    // A zone is only given to addresses of the link.
    if (version !== 6 || address.includes('%')) return false;
    const mapped = mappedV4(address);
    if (mapped !== undefined) return mayReachV4(mapped);
    return (
      (UNICAST_V6.check(address, 'ipv6') && !REFUSED_V6.check(address, 'ipv6')) ||
      allow.check(address, 'ipv6') ||
      (allowLoopback && canonical(address) === '::1')
    );
  };
}

/** Looked up each time: a machine gains and loses addresses while the service runs. */
function isThisMachine(address: string): boolean {
  const plain = isIP(address) === 4 ? address : (mappedV4(address) ?? canonical(address));
  if (isIP(plain) === 4 && THIS_MACHINE_V4.check(plain, 'ipv4')) return true;
  return (
    THIS_MACHINE_V6.has(plain) ||
    Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .some((own) => (own.family === 'IPv4' ? own.address : canonical(own.address)) === plain)
  );
}

const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/** The IPv4 address that `::ffff:1.2.3.4` means, however it is written. */
function mappedV4(address: string): string | undefined {
  const [, high, low] = MAPPED.exec(canonical(address)) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [first >> 8, first & 255, second >> 8, second & 255].join('.');
}

/** The one way to write an IPv6 address. */
function canonical(address: string): string {
  return URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) ?? '';
}

function networks(family: 'ipv4' | 'ipv6', written: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of written) {
    const [address = '', bits = ''] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
