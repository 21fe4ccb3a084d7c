/** The URL of a server that listens on this address; localhost for wildcard addresses. */
export function listenUrl(address: string, port: number): string {
  if (address === '0.0.0.0' || address === '::') return `http://localhost:${port}`;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}
