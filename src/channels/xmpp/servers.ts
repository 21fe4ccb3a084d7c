import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** A server, and whether it expects TLS from the start (XEP-0368) instead of STARTTLS. */
export interface XmppServer {
  host: string;
  port: number;
  tls: boolean;
}

/** Looks up SRV records such as `_xmpp-client._tcp.example.org`. Rejects when there are none. */
export type ResolveServices = (
  name: string,
) => Promise<{ name: string; port: number; priority: number; weight: number }[]>;

const MAX_SERVERS = 4;

/**
 * The servers of a domain, best first. The records may name any host, so they are dialed under the same restrictions
 * as hosts that tenants configure. https://www.rfc-editor.org/rfc/rfc6120#section-3.2
 */
export async function findServers(
  domain: string,
  resolve: ResolveServices = systemResolver,
): Promise<XmppServer[]> {
  const name = domainToASCII(domain) || domain;
  const fallback = [{ host: name, port: 5222, tls: false }];
  if (isIP(name) !== 0 || !name.includes('.')) return fallback;
  // https://xmpp.org/extensions/xep-0368.html
  const records = await Promise.all(
    [false, true].map(async (tls) => {
      const service = tls ? '_xmpps-client' : '_xmpp-client';
      const services = await resolve(`${service}._tcp.${name}`).catch(() => []);
      return services.map((record) => ({ tls, record }));
    }),
  );
  const servers = records
    .flat()
    .filter(({ record }) => record.name !== '' && record.name !== '.')
    .toSorted(({ record: a }, { record: b }) => a.priority - b.priority || b.weight - a.weight)
    .slice(0, MAX_SERVERS)
    .map(({ tls, record }) => ({ host: record.name, port: record.port, tls }));
  return servers.length === 0 ? fallback : servers;
}

async function systemResolver(name: string): ReturnType<ResolveServices> {
  return new Resolver({ timeout: 2000, tries: 1 }).resolveSrv(name);
}
