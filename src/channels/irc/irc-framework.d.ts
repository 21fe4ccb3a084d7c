/** As much of the package as is used here; it has no types of its own. https://github.com/kiwiirc/irc-framework */
declare module 'irc-framework' {
  import type { EventEmitter } from 'node:events';

  /** What carries the lines. */
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
    /** Writes a line as it is. */
    raw(line: string): void;
    changeNick(nick: string): void;
    /** Says goodbye, and closes the connection. */
    quit(message?: string): void;
    on(event: 'close', listener: () => void): this;
  }

  const irc: { Client: typeof Client };
  export default irc;
}
