/** The part of the package used here; it has no types. https://github.com/kiwiirc/irc-framework */
declare module 'irc-framework' {
  import type { EventEmitter } from 'node:events';

  /** Carries the lines. */
  export interface Transport extends EventEmitter {
    connect(): void;
    writeLine(line: string, done?: () => void): void;
    close(force?: boolean): void;
    disposeSocket(): void;
    setEncoding(encoding: string): boolean;
    isConnected(): boolean;
  }

  export interface ClientOptions {
    nick: string;
    username: string;
    gecos: string;
    version: string;
    password?: string;
    auto_reconnect: false;
    ping_interval: number;
    ping_timeout: number;
    transport: new () => Transport;
  }

  export class Client {
    constructor(options: ClientOptions);
    connect(): void;
    /** Writes a line unchanged. */
    raw(line: string): void;
    changeNick(nick: string): void;
    /** Sends QUIT and closes the connection. */
    quit(message?: string): void;
    on(event: 'close', listener: () => void): this;
  }

  const irc: { Client: typeof Client };
  export default irc;
}
