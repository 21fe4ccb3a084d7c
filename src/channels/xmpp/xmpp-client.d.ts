/** The part of the package used here; it has no types. https://github.com/xmppjs/xmpp.js */
declare module '@xmpp/client' {
  import type { EventEmitter } from 'node:events';

  export interface Element {
    readonly name: string;
    readonly attrs: Readonly<Record<string, string | undefined>>;
    children: (Element | string)[];
    is(name: string, xmlns?: string): boolean;
    getName(): string;
    getNS(): string | undefined;
    getChild(name: string, xmlns?: string): Element | undefined;
    getChildren(name: string, xmlns?: string): Element[];
    text(): string;
    toString(): string;
  }

  /** Emits `start`, `element` for each child of the root, `end` and `error`. */
  export interface Parser extends EventEmitter {
    root: Element | null;
    write(text: string): void;
  }

  export interface Xml {
    (
      name: string,
      attrs?: Readonly<Record<string, string | undefined>>,
      ...children: (Element | string | undefined)[]
    ): Element;
    Parser: new () => Parser;
  }

  export const xml: Xml;

  export interface Client extends EventEmitter {
    reconnect: { stop(): void };
    start(): Promise<unknown>;
    stop(): Promise<unknown>;
    send(element: Element): Promise<void>;
  }

  export function client(options: {
    service: string;
    domain: string;
    credentials: (
      login: (account: { username: string; password: string }, mechanism: string) => Promise<void>,
    ) => Promise<void>;
  }): Client;
}
