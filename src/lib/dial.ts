import { lookup } from 'node:dns/promises';
import { type Socket, connect, isIP } from 'node:net';
import { connect as secure, getCACertificates } from 'node:tls';

import type { Guard } from './addresses.ts';
import { CertificateFault, certificateFault } from './certificate.ts';
import { FetchFault, FetchRefusal } from './fetch.ts';
import { type Resolve, createLookUps } from './look-ups.ts';

export interface DialOptions {
  tls?: boolean;
  /** What is spoken over TLS, where the other side may want to know. */
  protocol?: string;
  signal: AbortSignal;
  /** The operator chose the target: it may be anywhere. */
  trusted?: boolean;
}

/** Opens a connection. Rejects with a FetchFault, whose `perhapsSent` is false. */
export type Dial = (host: string, port: number, options: DialOptions) => Promise<Socket>;

export interface DialerOptions {
  guard: Guard;
  resolve?: Resolve;
  /** Milliseconds until a connection must be there, from the look-up of the name to the end of the handshake. */
  timeout?: number;
  /** A certificate that is trusted besides the usual ones. */
  ca?: string;
}

/** More are not tried: a name may have hundreds. */
const MAX_TRIES = 4;

export function createDialer({ guard, resolve = system, timeout = 5000, ca }: DialerOptions): Dial {
  const lookUp = createLookUps(resolve);
  const trust = ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] };

  return async (host, port, { tls = false, protocol, signal, trusted = false }) => {
    const name = inWords(host);
    const late = AbortSignal.timeout(timeout);
    const ended = AbortSignal.any([signal, late]);
    const fault = (error: unknown, otherwise: string) => {
      if (error instanceof FetchFault) return error;
      if (signal.aborted) return new FetchFault(`connecting to ${name} was given up`, false);
      if (late.aborted) return new FetchFault(`connecting to ${name} took too long`, false);
      return new FetchFault(otherwise, false, error);
    };

    // The name is looked up once, and the connection goes to an address that was checked.
    const bare = host.replace(/^\[(.*)\]$/, '$1');
    const found = await orAborted(isIP(bare) ? [bare] : lookUp(bare, ended), ended).catch(
      (error: unknown) => {
        throw fault(error, `the host ${name} was not found`);
      },
    );
    const addresses = trusted ? found : found.filter((address) => guard(address, port));
    if (found.length === 0) throw new FetchFault(`the host ${name} was not found`, false);
    if (addresses.length === 0) {
      // Not which address: what a name means in here is nobody's business out there.
      throw new FetchRefusal(`${name} is at an address that may not be reached from here`);
    }

    const socket = await firstToConnect(addresses.slice(0, MAX_TRIES), port, ended, timeout).catch(
      (error: unknown) => {
        throw fault(error, `${name} could not be connected to${codeOf(error)}`);
      },
    );
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
      throw fault(error, `no secure connection to ${name} could be made${codeOf(error)}`);
    });
  };
}

async function system(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

/** One after the other; none but the last may use up the time of those after it. */
async function firstToConnect(
  addresses: readonly string[],
  port: number,
  ended: AbortSignal,
  time: number,
): Promise<Socket> {
  const [address = '', ...others] = addresses;
  const share = Math.ceil(time / addresses.length);
  const patience = others.length > 0 ? AbortSignal.any([ended, AbortSignal.timeout(share)]) : ended;
  try {
    const socket = connect({ host: address, port, noDelay: true, keepAlive: true });
    return await opened(socket, 'connect', patience);
  } catch (error) {
    if (others.length === 0 || ended.aborted) throw error;
    return firstToConnect(others, port, ended, time - share);
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
    const onAbort = () => onError(new Error('given up'));
    socket.on(event, onOpen).on('error', onError).on('close', onClose);
    // An error that nobody listens to would end the process, also between two owners of a socket.
    socket.on('error', () => {});
    if (ended.aborted) onAbort();
    else ended.addEventListener('abort', onAbort);
  });
}

function orAborted<Value>(value: Value | Promise<Value>, ended: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new Error('given up'));
    if (ended.aborted) onAbort();
    ended.addEventListener('abort', onAbort);
    Promise.resolve(value)
      .then(resolve, reject)
      .finally(() => ended.removeEventListener('abort', onAbort));
  });
}

/** ` (ECONNREFUSED)`: what a search for the cause begins with. */
function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? ` (${code})` : '';
}

/** A host as it may be shown: what a tenant wrote can be anything. */
export function inWords(host: string): string {
  const shown = host.replaceAll(/[^\p{L}\p{N}.:[\]_-]/gu, '?');
  return shown.length > 100 ? `${shown.slice(0, 100)}…` : shown;
}
