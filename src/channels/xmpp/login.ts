import { isIP } from 'node:net';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import { domainToASCII } from 'node:url';

import type { Element, Xml } from '@xmpp/client';

import { Scram } from './scram.ts';
import { XmppFault, type XmppStream } from './stream.ts';

/* Negotiates a new stream: TLS, login, resource binding. https://www.rfc-editor.org/rfc/rfc6120#section-4.3 */

export interface XmppLogin {
  /** The parts before and after the @. */
  user: string;
  domain: string;
  password: string;
  /** The configured host, if it differs from the domain. */
  host?: string;
  /** Whether the connection begins with TLS instead of negotiating it. */
  tls?: boolean;
  /** Whether nobody can eavesdrop, so that the connection needs neither TLS nor a valid certificate. */
  trustsWire: boolean;
}

const TLS = 'urn:ietf:params:xml:ns:xmpp-tls';
const SASL = 'urn:ietf:params:xml:ns:xmpp-sasl';
const BIND = 'urn:ietf:params:xml:ns:xmpp-bind';
const SESSION = 'urn:ietf:params:xml:ns:xmpp-session';

/** Returns our full address. Rejects with an XmppFault. */
export async function logIn(stream: XmppStream, xml: Xml, login: XmppLogin): Promise<string> {
  if (login.tls) await stream.encrypt(tlsOptions(login));
  let features = await stream.begin();
  if (!stream.isSecure) features = await goSecure(stream, xml, login, features);
  await authenticate(stream, xml, login, features);
  features = await stream.begin();
  return bind(stream, xml, features);
}

async function goSecure(
  stream: XmppStream,
  xml: Xml,
  login: XmppLogin,
  features: Element,
): Promise<Element> {
  if (!features.getChild('starttls', TLS)) {
    if (login.trustsWire) return features;
    throw new XmppFault('the server does not offer TLS, which the password requires', {
      lasting: true,
    });
  }
  stream.send(xml('starttls', { xmlns: TLS }));
  const answer = await stream.next();
  if (!answer.is('proceed', TLS)) {
    throw new XmppFault('STARTTLS failed', { lasting: true });
  }
  await stream.encrypt(tlsOptions(login));
  return stream.begin();
}

/** The certificate must be for the domain, or for the configured host. */
function tlsOptions({ domain, host, tls, trustsWire }: XmppLogin): ConnectionOptions {
  const name = domainToASCII(domain) || domain;
  return {
    ...(isIP(name) === 0 && { servername: name }),
    // https://xmpp.org/extensions/xep-0368.html
    ...(tls && { ALPNProtocols: ['xmpp-client'] }),
    rejectUnauthorized: !trustsWire,
    checkServerIdentity: (_, certificate) => {
      const fault = checkServerIdentity(name, certificate);
      return fault && host !== undefined ? checkServerIdentity(host, certificate) : fault;
    },
  };
}

const SCRAM = { 'SCRAM-SHA-256': 'sha256', 'SCRAM-SHA-1': 'sha1' } as const;

/** https://www.rfc-editor.org/rfc/rfc6120#section-6.4 */
async function authenticate(
  stream: XmppStream,
  xml: Xml,
  { user, password }: XmppLogin,
  features: Element,
): Promise<void> {
  const offered = features.getChild('mechanisms', SASL)?.getChildren('mechanism') ?? [];
  const names = new Set(offered.map((mechanism) => mechanism.text()));
  const auth = (mechanism: string, text: string) =>
    stream.send(xml('auth', { xmlns: SASL, mechanism }, toBase64(text)));
  const scram = (['SCRAM-SHA-256', 'SCRAM-SHA-1'] as const).find((name) => names.has(name));
  if (scram) {
    const exchange = new Scram(SCRAM[scram], user, password);
    auth(scram, exchange.first);
    return prove(stream, xml, exchange);
  }
  if (!names.has('PLAIN')) {
    throw new XmppFault('the server offers no supported login mechanism', { lasting: true });
  }
  auth('PLAIN', `\0${user}\0${password}`);
  const answer = await stream.next();
  if (!answer.is('success', SASL)) throw refusalOf(answer);
}

async function prove(stream: XmppStream, xml: Xml, scram: Scram): Promise<void> {
  const challenge = await stream.next();
  if (!challenge.is('challenge', SASL)) throw refusalOf(challenge);
  const response = await scram.answer(fromBase64(challenge.text()));
  if (response === undefined) {
    throw new XmppFault('invalid SCRAM challenge', { lasting: true });
  }
  stream.send(xml('response', { xmlns: SASL }, toBase64(response)));
  let answer = await stream.next();
  let last = answer;
  // Some servers send it in a challenge before the success.
  if (answer.is('challenge', SASL)) {
    stream.send(xml('response', { xmlns: SASL }));
    answer = await stream.next();
  }
  if (!answer.is('success', SASL)) throw refusalOf(answer);
  if (last.text() === '') last = answer;
  if (!scram.proves(fromBase64(last.text()))) {
    throw new XmppFault('the server did not prove that it knows the password', { lasting: true });
  }
}

/** https://www.rfc-editor.org/rfc/rfc6120#section-6.5 */
function refusalOf(answer: Element): XmppFault {
  if (!answer.is('failure', SASL)) {
    return new XmppFault('the server sent no login result', {});
  }
  const children = answer.children.filter((child) => typeof child !== 'string');
  const code = children
    .find((child) => !child.is('text'))
    ?.getName()
    .slice(0, 100);
  const text = answer.getChild('text')?.text().slice(0, 1000);
  return new XmppFault(text || `the server refused the login: ${code ?? 'no reason given'}`, {
    ...(code !== undefined && { code }),
    lasting: code !== 'temporary-auth-failure',
  });
}

/** https://www.rfc-editor.org/rfc/rfc6120#section-7 */
async function bind(stream: XmppStream, xml: Xml, features: Element): Promise<string> {
  const answer = await ask(stream, xml, xml('bind', { xmlns: BIND }));
  const jid = answer.getChild('bind', BIND)?.getChild('jid')?.text() ?? '';
  if (answer.attrs['type'] !== 'result' || jid === '') {
    throw new XmppFault('the server assigned no address', {});
  }
  // Required by servers from before 2011. https://www.rfc-editor.org/rfc/rfc3921#section-3
  const session = features.getChild('session', SESSION);
  if (session && !session.getChild('optional')) {
    await ask(stream, xml, xml('session', { xmlns: SESSION }));
  }
  return jid;
}

async function ask(stream: XmppStream, xml: Xml, what: Element): Promise<Element> {
  const id = `login-${what.name}`;
  stream.send(xml('iq', { type: 'set', id }, what));
  for (;;) {
    const answer = await stream.next();
    if (answer.is('iq') && answer.attrs['id'] === id) return answer;
  }
}

const toBase64 = (text: string) => Buffer.from(text).toString('base64');
const fromBase64 = (text: string) => Buffer.from(text, 'base64').toString();
