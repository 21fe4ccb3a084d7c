/**
 * Normalizes the base URL of a self-hosted server so that a path can be appended. Undefined unless it is an http(s)
 * URL without credentials, query and fragment.
 */
export function serverAddress(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') return undefined;
  return `${url.origin}${withoutSlashes(url.pathname)}`;
}

function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}
