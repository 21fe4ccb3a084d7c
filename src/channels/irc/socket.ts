import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';

import type { Transport } from 'irc-framework';

import { type IrcLine, parseIrcLine } from './line.ts';

/** Lines have up to 512 bytes, with tags 8,703; a server that exceeds this does not speak IRC. */
const MAX_LINE_BYTES = 16 * 1024;
/** In bytes. Far more than the traffic of a busy channel or the member list of a large one. */
const MAX_BYTES_PER_MINUTE = 2 * 1024 * 1024;
/** In bytes of lines passed to the library. Servers have some forty capabilities, and send PING occasionally. */
const MAX_HANDLED_BYTES = 64 * 1024;
/** In bytes that the server has not read yet; we send little. */
const MAX_UNREAD_BYTES = 64 * 1024;

/** The lines the library must process. It would store much of the rest: lists, batches, options. */
const AT_FIRST = /^(?:PING|PONG|CAP|AUTHENTICATE|001|90\d)$/;
const REGISTERED = /^(?:PING|PONG)$/;

interface IrcListener {
  /** Receives every line before the library does. */
  onLine(line: IrcLine): void;
  /** The server exceeded a limit, and the connection is about to end. */
  limitExceeded(what: string): void;
}

/** A transport for irc-framework over a connected socket. */
export function transportOver(socket: Socket, listener: IrcListener): new () => Transport {
  return class SocketTransport extends EventEmitter implements Transport {
    #open = false;
    #minute = { began: performance.now(), size: 0, handledBytes: 0 };
    #handledCommands = AT_FIRST;

    connect(): void {
      const decoder = new StringDecoder('utf8');
      let text = '';
      socket.on('data', (bytes: Buffer) => {
        const now = performance.now();
        if (now - this.#minute.began > 60_000)
          this.#minute = { began: now, size: 0, handledBytes: 0 };
        this.#minute.size += bytes.length;
        if (this.#minute.size > MAX_BYTES_PER_MINUTE)
          return this.#giveUp('the server sent too much data');
        const lines = (text + decoder.write(bytes)).split('\n');
        text = lines.pop() ?? '';
        for (const line of lines) this.#receive(line);
        if (text.length > MAX_LINE_BYTES) this.#giveUp('the server sent an unterminated line');
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#open = false;
        this.emit('close', false);
      });
      this.#open = true;
      // The library is still setting up the connection.
      setImmediate(() => this.emit('open'));
    }

    #giveUp(what: string): void {
      if (socket.destroyed) return;
      listener.limitExceeded(what);
      socket.destroy();
    }

    #receive(text: string): void {
      if (socket.destroyed || text === '' || text === '\r') return;
      if (text.length > MAX_LINE_BYTES)
        return this.#giveUp('the server sent a line that is too long');
      const line = parseIrcLine(text);
      listener.onLine(line);
      if (socket.destroyed || !this.#handledCommands.test(line.command)) return;
      if (line.command === '001') this.#handledCommands = REGISTERED;
      this.#minute.handledBytes += text.length;
      if (this.#minute.handledBytes > MAX_HANDLED_BYTES)
        return this.#giveUp('the server sent too many requests');
      try {
        this.emit('line', text);
      } catch {
        // The library throws on malformed lines; the next line may be valid.
      }
    }

    writeLine(line: string, done?: () => void): void {
      if (!this.#open || socket.destroyed) return done?.();
      // Prevents injection of further lines.
      socket.write(`${line.replaceAll(/[\r\n\0]+/g, ' ')}\r\n`, () => done?.());
      if (socket.writableLength > MAX_UNREAD_BYTES)
        this.#giveUp('the server does not read our responses');
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
