import { isIPv4, isIPv6 } from 'node:net';

const GROUPS = 8;
/** Providers assign IPv6 in blocks of /64, so one customer controls all addresses of a block. */
const NETWORK_GROUPS = 4;

/** The network to count an address under: an IPv4 address itself, or the /64 of an IPv6 address. */
export function networkOf(address: string): string {
  const [bare = ''] = address.split('%', 1);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  if (!isIPv6(bare)) return address;
  const [head = '', tail] = bare.split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const zeros = Array.from({ length: GROUPS - before.length - after.length }, () => '0');
  const groups = tail === undefined ? before : [...before, ...zeros, ...after];
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

/** The groups of an IPv6 address in canonical spelling; a trailing IPv4 address counts as two. */
function groupsOf(text: string): string[] {
  if (text === '') return [];
  return text
    .split(':')
    .flatMap((group) =>
      group.includes('.') ? ['0', '0'] : [Number.parseInt(group, 16).toString(16)],
    );
}
