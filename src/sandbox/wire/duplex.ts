import { Socket } from 'node:net';

/**
 * One end of a connection within this process. It behaves like a socket, with backpressure, half-close and errors, but
 * involves no operating system resources.
 */
class MemorySocket extends Socket {
  #other: MemorySocket | undefined;
  /** Continues the writer after the reader has emptied the buffer. */
  #resume: (() => void) | undefined;
  #written = 0;

  constructor() {
    super();
    Object.defineProperty(this, 'bytesWritten', { get: () => this.#written });
    // Nobody can eavesdrop on it, as on a loopback connection.
    Object.defineProperty(this, 'remoteAddress', { value: '127.0.0.1' });
    // An unhandled `error` event ends the process; the other end may be gone at any time.
    this.on('error', () => {});
  }

  join(other: MemorySocket): void {
    this.#other = other;
  }

  override _read(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  override _write(
    chunk: Buffer | string,
    encoding: BufferEncoding,
    done: (error?: Error | null) => void,
  ): void {
    this.#pass(bytesOf(chunk, encoding), done);
  }

  override _writev(
    chunks: { chunk: Buffer | string; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    this.#pass(Buffer.concat(chunks.map(({ chunk, encoding }) => bytesOf(chunk, encoding))), done);
  }

  #pass(bytes: Buffer, done: (error?: Error | null) => void): void {
    const other = this.#other;
    this.#written += bytes.length;
    // Not within the call: a server that answers at once would otherwise run inside its client.
    setImmediate(() => {
      if (!other || other.destroyed) done(closed());
      else if (other.push(bytes) || other.destroyed) done();
      else other.#resume = done;
    });
  }

  override _final(done: () => void): void {
    const other = this.#other;
    setImmediate(() => {
      if (other && !other.destroyed) other.push(null);
      done();
    });
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const other = this.#other;
    this.#other = undefined;
    this.#resume?.();
    this.#resume = undefined;
    setImmediate(() => other?.abandon());
    super._destroy(error, done);
  }

  /** The other end is gone: what it wrote before can still be read. */
  abandon(): void {
    if (this.destroyed) return;
    this.#resume = undefined;
    if (this.readableEnded) this.destroy();
    else this.push(null);
  }
}

const bytesOf = (chunk: Buffer | string, encoding: BufferEncoding) =>
  typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;

const closed = () => Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' });

/** Two connected sockets: what is written to one can be read from the other. */
export function openDuplex(): [Socket, Socket] {
  const [client, server] = [new MemorySocket(), new MemorySocket()];
  client.join(server);
  server.join(client);
  return [client, server];
}
