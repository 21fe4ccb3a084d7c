/** Whether a URL is https and its host is one of these domains or a subdomain, so that a token may be sent there. */
export function isAtHost(url: string, ...domains: readonly string[]): boolean {
  const { protocol, hostname = '', username, port } = URL.parse(url) ?? {};
  if (protocol !== 'https:' || username !== '' || port !== '') return false;
  return domains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
}
