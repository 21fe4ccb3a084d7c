import { isIPv4, isIPv6 } from 'node:net';

const GROUPS = 8;
/** A provider hands out IPv6 by the /64, so that whoever has one address there has all of them. */
const NETWORK_GROUPS = 4;

/** Whom an address stands for: an IPv4 address itself, and the /64 of an IPv6 address. */
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

/** In one spelling, with an IPv4 address at the end counted as the two groups that it is. */
function groupsOf(text: string): string[] {
  if (text === '') return [];
  return text
    .split(':')
    .flatMap((group) =>
      group.includes('.') ? ['0', '0'] : [Number.parseInt(group, 16).toString(16)],
    );
}
