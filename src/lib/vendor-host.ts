/** Whether a URL leads, by https, to one of these domains or to a host below it: a token may go there. */
export function isAtHost(url: string, ...domains: readonly string[]): boolean {
  const { protocol, hostname = '', username, port } = URL.parse(url) ?? {};
  if (protocol !== 'https:' || username !== '' || port !== '') return false;
  return domains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
}
