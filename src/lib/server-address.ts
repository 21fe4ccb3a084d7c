/**
 * The address of a server that somebody runs for themselves, ready for a path to be put behind it: http or https,
 * and nothing after the path. Undefined when what is written is no such address.
 */
export function serverAddress(written: string): string | undefined {
  const url = URL.parse(written);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') return undefined;
  return `${url.origin}${withoutSlashes(url.pathname)}`;
}

function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}
