import { BlockList, isIP } from 'node:net';

/* Parsers for the values of settings. They throw errors written for the operator. */

export function text(value: string): string {
  return value;
}

export function wholeNumber(value: string, from: number, to: number): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < from || number > to) {
    throw new Error(`"${value}" is not a whole number from ${from} to ${to}`);
  }
  return number;
}

export function oneOf<Choice extends string>(value: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined) throw new Error(`"${value}" is not one of ${choices.join(', ')}`);
  return choice;
}

/** Removes a trailing slash, so that a path can be appended. */
export function httpUrl(value: string): string {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`"${value}" is not an http(s) URL`);
  return url.href.replace(/\/$/, '');
}

/** Rejects credentials: the URL is shown, so secrets belong in the headers. */
export function collectorUrl(value: string): string {
  const { username, password } = URL.parse(value) ?? {};
  if (username || password) throw new Error('must not contain a user name or password');
  return httpUrl(value);
}

/** Error messages do not repeat the values, which may be secrets. */
export function headers(value: string): Record<string, string> {
  return Object.fromEntries(
    parts(value).map((part) => {
      const [, name, written] = /^([\w!#$%&'*+.^`|~-]+)\s*=\s*([\x21-\x7e]+)$/.exec(part) ?? [];
      if (name === undefined || written === undefined)
        throw new Error('must be a list of name=value');
      return [name, decodeURIComponent(written)];
    }),
  );
}

export function share(value: string): number {
  const number = Number(value);
  if (/^\d+(\.\d+)?$/.test(value) && number <= 1) return number;
  throw new Error(`"${value}" is not a number from 0 to 1`);
}

/** A scheme, or SQLite's `:memory:`. One letter is a drive. */
const SCHEME = /^(?:[a-z][a-z\d+.-]+)?:/i;

/** Error messages do not repeat the value, which may contain a password. */
export function database(value: string): string {
  const isUrl = value.includes('://');
  if (isUrl ? isPostgresUrl(value) : !SCHEME.test(value)) return value;
  throw new Error(
    'must be a file or a postgres:// URL; if the name of the file has a colon, start it with ./',
  );
}

export function postgresUrl(value: string): string {
  if (isPostgresUrl(value)) return value;
  throw new Error('must be a postgres:// URL');
}

function isPostgresUrl(value: string): boolean {
  return /^postgres(ql)?:$/.test(URL.parse(value)?.protocol ?? '');
}

export function networks(value: string): BlockList {
  const list = new BlockList();
  for (const part of parts(value)) {
    const network = parseNetwork(part);
    if (!network) throw new Error(`"${part}" is not a network such as 10.1.0.0/16`);
    list.addSubnet(network.address, network.bits, network.version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

export function origins(value: string): string[] {
  const list = parts(value);
  for (const part of list) {
    if (/^https?:/.test(part) && URL.parse(part)?.origin === part) continue;
    throw new Error(`"${part}" is not an origin such as https://app.example.com`);
  }
  return list;
}

export function proxies(value: string): string[] {
  const list = parts(value);
  for (const part of list) {
    if (isIP(part) || parseNetwork(part)) continue;
    throw new Error(`"${part}" is neither an address nor a network such as 10.1.0.0/16`);
  }
  return list;
}

function parseNetwork(written: string) {
  const [address = '', prefix = '', ...rest] = written.split('/');
  const version = isIP(address);
  const bits = Number(prefix);
  const fits = /^\d+$/.test(prefix) && bits <= (version === 4 ? 32 : 128);
  return version && fits && rest.length === 0 ? { address, bits, version } : undefined;
}

function parts(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}
