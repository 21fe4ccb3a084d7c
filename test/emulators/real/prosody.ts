import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { type Client, type Element, client, xml } from '@xmpp/client';

import { requirement } from '../../support/requirement.ts';
import { until } from '../../support/until.ts';
import type { Certificate } from '../server/certificate.ts';
import { type ChildServer, startChild } from './child-server.ts';

/* A real XMPP server, as a child process. https://prosody.im/doc */

export const PROSODY = requirement('prosody', 'apt-get install prosody');

const control = promisify(execFile);

export const DOMAIN = 'localhost';
export const ROOMS = 'rooms.localhost';

/** The password of test accounts. */
export const PASSWORD = 'not-a-secret-of-xmpp';

export type Prosody = ChildServer<Visitor>;

export interface ProsodyOptions {
  certificate?: Certificate;
  /** Configuration lines for rooms. */
  rooms?: readonly string[];
  /** Further lines for the whole configuration. */
  lines?: readonly string[];
}

/** Accounts with the same password. */
export function startProsody(
  accounts: readonly string[],
  options: ProsodyOptions = {},
): Promise<Prosody> {
  return startChild({
    name: 'prosody',
    path: PROSODY.path,
    visit: (port, name) => Visitor.connect(port, name),
    async prepare(folder, port) {
      const file = join(folder, 'prosody.cfg.lua');
      await mkdir(join(folder, 'data'));
      await writeFile(file, configuration(folder, port, options));
      if (options.certificate) {
        await writeFile(join(folder, 'cert.pem'), options.certificate.cert);
        await writeFile(join(folder, 'key.pem'), options.certificate.key);
      }
      const at = ['--root', '--config', file];
      for (const name of accounts) {
        await control('prosodyctl', [...at, 'register', name, DOMAIN, PASSWORD]);
      }
      return ['-F', ...at];
    },
  });
}

function configuration(folder: string, port: number, options: ProsodyOptions): string {
  const { certificate, rooms = [], lines = [] } = options;
  return [
    `data_path = "${folder}/data"`,
    `pidfile = "${folder}/prosody.pid"`,
    'run_as_root = true',
    'log = { error = "*console" }',
    'interfaces = { "127.0.0.1" }',
    `c2s_ports = { ${port} }`,
    's2s_ports = {}',
    `modules_enabled = { "saslauth", "disco", "ping", "offline"${certificate ? ', "tls"' : ''} }`,
    'modules_disabled = { "s2s" }',
    `c2s_require_encryption = ${certificate !== undefined}`,
    'allow_unencrypted_plain_auth = true',
    'authentication = "internal_hashed"',
    ...(certificate
      ? [`ssl = { certificate = "${folder}/cert.pem", key = "${folder}/key.pem" }`]
      : []),
    ...lines,
    `VirtualHost "${DOMAIN}"`,
    `Component "${ROOMS}" "muc"`,
    'muc_room_locking = false',
    ...rooms,
    '',
  ].join('\n');
}

/** Another user of the server, with an independent client library as the judge of our messages. */
export class Visitor {
  readonly name: string;
  readonly stanzas: Element[] = [];
  readonly #client: Client;

  private constructor(name: string, entity: Client) {
    this.name = name;
    this.#client = entity;
    entity.on('error', () => {});
    entity.on('stanza', (stanza: Element) => void this.stanzas.push(stanza));
  }

  static async connect(port: number, name: string): Promise<Visitor> {
    const service = `xmpp://127.0.0.1:${port}`;
    const entity = client({
      service,
      domain: DOMAIN,
      // SCRAM takes it a second.
      credentials: (login) => login({ username: name, password: PASSWORD }, 'PLAIN'),
    });
    entity.reconnect.stop();
    const visitor = new Visitor(name, entity);
    await entity.start();
    await visitor.say(xml('presence'));
    return visitor;
  }

  async say(stanza: Element): Promise<void> {
    await this.#client.send(stanza);
  }

  /** Joins a room and creates it if it does not exist. */
  async join(room: string): Promise<void> {
    const x = xml('x', { xmlns: 'http://jabber.org/protocol/muc' });
    await this.say(xml('presence', { to: `${room}@${ROOMS}/${this.name}` }, x));
    await this.sees(
      `${this.name} in ${room}`,
      ({ attrs }) => attrs['from'] === `${room}@${ROOMS}/${this.name}`,
    );
  }

  /** Changes a user's role or affiliation in a room, or removes the user. */
  async rule(room: string, item: Readonly<Record<string, string>>): Promise<void> {
    const id = randomUUID();
    const query = xml(
      'query',
      { xmlns: 'http://jabber.org/protocol/muc#admin' },
      xml('item', item),
    );
    await this.say(xml('iq', { type: 'set', to: `${room}@${ROOMS}`, id }, query));
    await this.sees('the answer', ({ attrs }) => attrs['id'] === id && attrs['type'] === 'result');
  }

  /** Configures a room, for example as members-only. */
  async configure(room: string, settings: Readonly<Record<string, string>>): Promise<void> {
    const id = randomUUID();
    const fields = Object.entries(settings).map(([name, value]) =>
      xml('field', { var: `muc#roomconfig_${name}` }, xml('value', {}, value)),
    );
    const type = xml(
      'field',
      { var: 'FORM_TYPE' },
      xml('value', {}, 'http://jabber.org/protocol/muc#roomconfig'),
    );
    const form = xml('x', { xmlns: 'jabber:x:data', type: 'submit' }, type, ...fields);
    const query = xml('query', { xmlns: 'http://jabber.org/protocol/muc#owner' }, form);
    await this.say(xml('iq', { type: 'set', to: `${room}@${ROOMS}`, id }, query));
    await this.sees('the answer', ({ attrs }) => attrs['id'] === id && attrs['type'] === 'result');
  }

  sees(what: string, find: (stanza: Element) => boolean): Promise<Element> {
    return until(what, () => this.stanzas.find(find));
  }

  /** Received messages: `bot@localhost text`, or `bot text` in a room. */
  get messages(): string[] {
    return this.stanzas.flatMap((stanza) => {
      const body = stanza.getChild('body')?.text();
      const from = stanza.attrs['from'] ?? '';
      const [bare, nick] = from.split('/');
      const who = stanza.attrs['type'] === 'groupchat' ? nick : bare;
      return stanza.is('message') && body !== undefined ? [`${who} ${body}`] : [];
    });
  }

  async waitFor(count: number): Promise<string[]> {
    return until(`${count} messages`, () => this.messages.length >= count && this.messages);
  }

  async leave(): Promise<void> {
    await this.#client.stop().catch(() => {});
  }
}
