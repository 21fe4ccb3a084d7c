import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  type MailServer,
  type MailServers,
  PROVIDERS,
  composeMailServers,
  parseMailServers,
} from '../../console/src/integrations/form/mail-servers.ts';
import { readServers } from '../../src/channels/email/servers.ts';
import { fc } from '../support/fast-check.ts';

const host = fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6());
const parts = {
  host,
  port: fc.oneof(fc.constant(''), fc.integer({ min: 1, max: 65_535 }).map(String)),
  security: fc.constantFrom('tls', 'starttls'),
} as const;
const asObject = { noNullPrototype: true } as const;
const mailbox = fc
  .string({ unit: 'binary-ascii', maxLength: 60 })
  .map((name) => name.replaceAll(/[^\x20-\x7e]/g, '').trim());
const servers: fc.Arbitrary<MailServers> = fc.record(
  {
    smtp: fc.record(parts, asObject),
    imap: fc.option(fc.record({ ...parts, mailbox }, asObject), { nil: undefined }),
  },
  asObject,
);

/** IPv6 addresses have several forms. */
const plainHost = (name: string) =>
  name.includes(':') ? (URL.parse(`smtp://[${name}]`)?.hostname.slice(1, -1) ?? '') : name;

const portOf = ({ port, security }: MailServer, ports: { tls: number; starttls: number }) =>
  port === '' ? ports[security] : Number(port);

describe('mail servers in the form', () => {
  it('mail servers keep all their parts when they are stored and edited again', () => {
    fc.assert(
      fc.property(servers, (given) => {
        assert.deepEqual(parseMailServers(composeMailServers(given)), given);
      }),
    );
  });

  it('mail servers are stored as the email channel reads them', () => {
    fc.assert(
      fc.property(servers, (given) => {
        const read = readServers(composeMailServers(given), 'ada@example.org');
        assert.ok(typeof read !== 'string', String(read));
        const { smtp, imap } = given;
        assert.deepEqual(
          [read.smtp.host.toLowerCase(), read.smtp.port, read.smtp.secure],
          [
            plainHost(smtp.host).toLowerCase(),
            portOf(smtp, { tls: 465, starttls: 587 }),
            smtp.security === 'tls',
          ],
        );
        assert.equal(read.imap === undefined, imap === undefined);
        if (!imap || !read.imap) return;
        assert.deepEqual(
          [read.imap.host.toLowerCase(), read.imap.port, read.imap.mailbox],
          [
            plainHost(imap.host).toLowerCase(),
            portOf(imap, { tls: 993, starttls: 143 }),
            imap.mailbox || 'INBOX',
          ],
        );
      }),
    );
  });

  it('mail servers are left as text if the parts cannot express them', () => {
    for (const text of [
      'smtp.example.org',
      'smtps://ada:pass@smtp.example.org:465',
      'smtps://smtp.example.org:465/path',
      'smtps://a.example smtps://b.example',
      'smtps://a.example imaps://b.example imaps://c.example',
      'smtps://a.example imaps://b.example/%E0%A4%A',
      'https://smtp.example.org',
    ]) {
      assert.equal(parseMailServers(text), undefined, text);
    }
  });

  it('any text is either left alone or keeps its meaning', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        const parsed = parseMailServers(text);
        if (parsed) assert.deepEqual(parseMailServers(composeMailServers(parsed)), parsed);
      }),
    );
  });

  it('mail servers are incomplete without a host', () => {
    const [known] = PROVIDERS;
    assert.ok(known);
    const nowhere = { ...known.imap, host: ' ', mailbox: '' };
    assert.equal(composeMailServers({ smtp: known.smtp, imap: nowhere }), '');
    const international = { ...known.smtp, host: 'bücher.example' };
    assert.equal(
      composeMailServers({ smtp: international, imap: undefined }),
      'smtps://xn--bcher-kva.example:465',
    );
  });

  it('mail servers of every offered provider are valid', () => {
    for (const { smtp, imap } of PROVIDERS) {
      const text = composeMailServers({ smtp, imap: { ...imap, mailbox: '' } });
      assert.equal(typeof readServers(text, 'ada@example.org'), 'object', text);
    }
  });
});
