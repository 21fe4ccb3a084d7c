import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';

import type { Transport } from 'irc-framework';

/** A server that goes on without a line's end is none: lines have 512 bytes, with tags 8,703. */
const LONGEST = 64 * 1024;

/** A transport for irc-framework over a socket that is connected already. */
export function transportOver(socket: Socket): new () => Transport {
  return class SocketTransport extends EventEmitter implements Transport {
    #open = false;

    connect(): void {
      const decoder = new StringDecoder('utf8');
      let text = '';
      socket.on('data', (bytes: Buffer) => {
        const lines = (text + decoder.write(bytes)).split('\n');
        text = lines.pop() ?? '';
        for (const line of lines) this.#receive(line);
        if (text.length > LONGEST) socket.destroy();
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#open = false;
        this.emit('close', false);
      });
      this.#open = true;
      // Whoever is making the connection is still busy with it.
      setImmediate(() => this.emit('open'));
    }

    #receive(line: string): void {
      if (socket.destroyed) return;
      try {
        this.emit('line', line);
      } catch {
        // The library trips over lines that are not what they should be; the next may be.
      }
    }

    writeLine(line: string, done?: () => void): void {
      if (!this.#open || socket.destroyed) return done?.();
      // Whatever was put into a line, it stays one line.
      socket.write(`${line.replaceAll(/[\r\n\0]+/g, ' ')}\r\n`, () => done?.());
    }

    close(force = false): void {
      if (force) socket.destroy();
      // Not every server closes its side.
      else socket.destroySoon();
    }

    disposeSocket(): void {
      socket.destroy();
    }

    setEncoding(encoding: string): boolean {
      return encoding === 'utf8';
    }

    isConnected(): boolean {
      return this.#open;
    }
  };
}
