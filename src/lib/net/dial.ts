import { lookup } from 'node:dns/promises';
import { type Socket, connect, isIP } from 'node:net';
import { connect as secure, getCACertificates } from 'node:tls';

import { FetchFault, FetchRefusal } from '../http/fetch.ts';
import type { Guard } from './address-guard.ts';
import { CertificateFault, certificateFault } from './certificate.ts';
import { type Resolve, createLookup } from './dns.ts';

export interface DialOptions {
  tls?: boolean;
  /** ALPN protocol, if the server needs it. */
  protocol?: string;
  signal: AbortSignal;
  /** Skips the address guard, because the operator chose the target. */
  trusted?: boolean;
}

/** Opens a connection. Rejects with a FetchFault whose `maybeSent` is false. */
export type Dial = (host: string, port: number, options: DialOptions) => Promise<Socket>;

export interface DialerOptions {
  guard: Guard;
  resolve?: Resolve;
  /** Milliseconds for name lookup, connection and TLS handshake together. */
  timeout?: number;
  /** A CA certificate to trust in addition to the system's. */
  ca?: string;
}

/** A host name may resolve to hundreds of addresses. */
const MAX_ADDRESSES = 4;

export function createDialer({
  guard,
  resolve = systemResolve,
  timeout = 5000,
  ca,
}: DialerOptions): Dial {
  const lookUp = createLookup(resolve);
  const trust = ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] };

  return async (host, port, { tls = false, protocol, signal, trusted = false }) => {
    const name = shownHost(host);
    const endsAt = performance.now() + timeout;
    const late = AbortSignal.timeout(timeout);
    const ended = AbortSignal.any([signal, late]);
    const fault = (error: unknown, otherwise: string) => {
      if (error instanceof FetchFault) return error;
      if (signal.aborted) return new FetchFault(`connecting to ${name} was canceled`, false);
      if (late.aborted) return new FetchFault(`connecting to ${name} took too long`, false);
      return new FetchFault(otherwise, false, error);
    };

    // Resolve the name once and connect to the address that passed the guard. A second lookup could return another.
    const bare = host.replace(/^\[(.*)\]$/, '$1');
    const found = await orAborted(isIP(bare) ? [bare] : lookUp(bare, ended), ended).catch(
      (error: unknown) => {
        throw fault(error, `host ${name} not found`);
      },
    );
    const addresses = trusted ? found : found.filter((address) => guard(address, port));
    if (found.length === 0) throw new FetchFault(`host ${name} not found`, false);
    if (addresses.length === 0) {
      // Do not reveal the address: tenants must not learn how names resolve inside the network.
      throw new FetchRefusal(`the address of ${name} is blocked`);
    }

    const socket = await firstToConnect(
      addresses.slice(0, MAX_ADDRESSES),
      port,
      ended,
      endsAt,
    ).catch((error: unknown) => {
      throw fault(error, `cannot connect to ${name}${codeOf(error)}`);
    });
    if (!tls) return socket;
    const encrypted = secure({
      ...trust,
      socket,
      host: bare,
      ...(isIP(bare) === 0 && { servername: bare }),
      ...(protocol !== undefined && { ALPNProtocols: [protocol] }),
    });
    return opened(encrypted, 'secureConnect', ended).catch((error: unknown) => {
      const untrusted = ended.aborted ? undefined : certificateFault(error);
      if (untrusted) throw new CertificateFault(`${name}: ${untrusted}`, error);
      throw fault(error, `TLS handshake with ${name} failed${codeOf(error)}`);
    });
  };
}

async function systemResolve(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

/** Tries the addresses in order. Each gets an equal share of the remaining time, so a dead one cannot use it all. */
async function firstToConnect(
  addresses: readonly string[],
  port: number,
  ended: AbortSignal,
  endsAt: number,
): Promise<Socket> {
  const [address = '', ...others] = addresses;
  const share = Math.max(0, Math.ceil((endsAt - performance.now()) / addresses.length));
  const attemptEnded =
    others.length > 0 ? AbortSignal.any([ended, AbortSignal.timeout(share)]) : ended;
  try {
    const socket = connect({ host: address, port, noDelay: true, keepAlive: true });
    return await opened(socket, 'connect', attemptEnded);
  } catch (error) {
    if (others.length === 0 || ended.aborted) throw error;
    return firstToConnect(others, port, ended, endsAt);
  }
}

function opened<Opened extends Socket>(
  socket: Opened,
  event: 'connect' | 'secureConnect',
  ended: AbortSignal,
): Promise<Opened> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      ended.removeEventListener('abort', onAbort);
      socket.off(event, onOpen).off('error', onError).off('close', onClose);
    };
    const onOpen = () => {
      settle();
      resolve(socket);
    };
    const onError = (error: Error) => {
      settle();
      socket.destroy();
      reject(error);
    };
    const onClose = () => onError(new Error('closed'));
    const onAbort = () => onError(new Error('canceled'));
    socket.on(event, onOpen).on('error', onError).on('close', onClose);
    // An unhandled `error` event ends the process; the socket may emit one before its next owner listens.
    socket.on('error', () => {});
    if (ended.aborted) onAbort();
    else ended.addEventListener('abort', onAbort);
  });
}

function orAborted<Value>(value: Value | Promise<Value>, ended: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new Error('canceled'));
    if (ended.aborted) onAbort();
    ended.addEventListener('abort', onAbort);
    Promise.resolve(value)
      .then(resolve, reject)
      .finally(() => ended.removeEventListener('abort', onAbort));
  });
}

/** The error code for the message, such as ` (ECONNREFUSED)`. */
function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? ` (${code})` : '';
}

/** A host name that is safe to log or show: a tenant may have entered any characters. */
export function shownHost(host: string): string {
  const shown = host.replaceAll(/[^\p{L}\p{N}.:[\]_-]/gu, '?');
  return shown.length > 100 ? `${shown.slice(0, 100)}…` : shown;
}
