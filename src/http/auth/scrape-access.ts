import { type BlockList, isIP } from 'node:net';

import { equalInConstantTime } from '../../lib/crypto/constant-time.ts';
import type { Call } from '../server/route.ts';
import { isLoopback } from './origin.ts';

/* Access control of /metrics. */

export interface ScrapeAccess {
  token: string | undefined;
  networks: BlockList | undefined;
}

type Scrape = Pick<Call<undefined, unknown>, 'headers' | 'httpVersion' | 'ip' | 'peer'>;

export function mayScrape(call: Scrape, { token, networks }: ScrapeAccess): boolean {
  if (token !== undefined && equalInConstantTime(call.headers.authorization, `Bearer ${token}`)) {
    return true;
  }
  if (networks) return isWithin(networks, call);
  // Behind a local proxy every request comes from loopback, and another site's page may use a host name that
  // resolves to loopback.
  return token === undefined && isFromLoopback(call) && !isProxied(call) && namesLoopback(call);
}

function isWithin(networks: BlockList, call: Scrape): boolean {
  // Without a trusted proxy, the address is the proxy's own.
  if (isProxied(call) && call.ip === call.peer) return false;
  const ip = plain(call.ip);
  const version = isIP(ip);
  return version !== 0 && networks.check(ip, version === 4 ? 'ipv4' : 'ipv6');
}

const PROXY_HEADERS = new Set([
  'via',
  'forwarded',
  'x-real-ip',
  'x-client-ip',
  'client-ip',
  'true-client-ip',
  'x-cluster-client-ip',
  'x-original-host',
  'x-proxyuser-ip',
  'x-azure-clientip',
  'x-appengine-user-ip',
  'fly-client-ip',
  'fastly-client-ip',
  'cdn-loop',
]);
const PROXY_HEADER_PREFIXES = ['x-forwarded', 'x-original-forwarded', 'cf-', 'x-envoy-', 'x-amzn-'];

/** nginx speaks HTTP/1.0 to upstreams by default, without adding a header. */
function isProxied({ headers, httpVersion }: Scrape): boolean {
  if (httpVersion === '1.0') return true;
  return Object.keys(headers).some(
    (name) =>
      PROXY_HEADERS.has(name) || PROXY_HEADER_PREFIXES.some((prefix) => name.startsWith(prefix)),
  );
}

function isFromLoopback({ ip }: Scrape): boolean {
  const address = plain(ip);
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}

function namesLoopback({ headers }: Scrape): boolean {
  const { hostname } = URL.parse(`http://${headers.host ?? ''}`) ?? {};
  return hostname !== undefined && isLoopback(hostname);
}

/** Strips the prefix of IPv4 addresses on IPv6 sockets. */
const plain = (ip: string) => ip.replace(/^::ffff:/, '');
