import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/*
 * Decides which addresses a request may reach if a tenant chose its target: public ones only. The special-purpose
 * ranges come from https://www.iana.org/assignments/iana-ipv4-special-registry and
 * https://www.iana.org/assignments/iana-ipv6-special-registry.
 */

/** Whether a request may connect to this address and port. False for anything that is not an IP address. */
export type Guard = (address: string, port: number) => boolean;

interface GuardOptions {
  /** Non-public networks that the operator allows. */
  allow: BlockList;
  allowLoopback: boolean;
  /** The service's own port: blocked on every local address, even if `allow` includes it. */
  ownPort?(): number;
}

const REFUSED_V4 = networks('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32', // Azure's virtual host address
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
 * All public IPv6 addresses are in here. Addresses outside it are private or embed an IPv4 address: `::127.0.0.1`,
 * `64:ff9b::7f00:1`.
 */
const UNICAST_V6 = networks('ipv6', ['2000::/3']);

const REFUSED_V6 = networks('ipv6', [
  '2001::/23', // protocol assignments and tunnels, including Teredo
  '2001:db8::/32',
  '2002::/16', // 6to4 embeds an IPv4 address
  '2620:4f:8000::/48',
  '3fff::/20',
]);

const LOOPBACK_V4 = networks('ipv4', ['127.0.0.0/8']);

/** The operating system routes connections to `0.0.0.0` to the local host as well. */
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
    // Only link-local addresses have a zone.
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

/** Not cached: a machine's addresses can change while the service runs. */
function isThisMachine(address: string): boolean {
  const plain = isIP(address) === 4 ? address : (mappedV4(address) ?? canonical(address));
  if (isIP(plain) === 4 && THIS_MACHINE_V4.check(plain, 'ipv4')) return true;
  return (
    THIS_MACHINE_V6.has(plain) ||
    Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .some(
        (local) => (local.family === 'IPv4' ? local.address : canonical(local.address)) === plain,
      )
  );
}

const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/** The IPv4 address inside an IPv4-mapped IPv6 address (`::ffff:1.2.3.4`), in any notation. */
function mappedV4(address: string): string | undefined {
  const [, high, low] = MAPPED.exec(canonical(address)) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [first >> 8, first & 255, second >> 8, second & 255].join('.');
}

function canonical(address: string): string {
  return URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) ?? '';
}

function networks(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of ranges) {
    const [address = '', bits = ''] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
