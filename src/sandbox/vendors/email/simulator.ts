import { type Simulator, WITHOUT_HTTP } from '../../simulator.ts';
import { serveImap } from './imap.ts';
import { messageIdOf } from './mails.ts';
import { serveSmtp } from './smtp.ts';

const LOGIN = { user: 'switchboard@sandbox.test', password: 'fake-password' };
const IMAP_PORT = 993;

export const email: Simulator = {
  ...WITHOUT_HTTP,
  channel: 'email',
  limits: { none: 'the operator of the server sets the rate' },
  credentials: {
    address: 'smtps://sandbox.test:465 imaps://sandbox.test:993',
    username: LOGIN.user,
    token: LOGIN.password,
  },
  people: [
    { address: 'ada@sandbox.test', name: 'Ada Example' },
    { address: 'grace@sandbox.test', name: 'Grace Example' },
  ],
  magicAddress: (number) => `fault-${number}@sandbox.test`,
  // Clients read a mailbox in order.
  lacks: ['malformed', 'reordered_webhooks'],
  idOf: messageIdOf,
  session: {
    reports: ['message'],
    receipts: ['failed'],
    serve(socket, session, { port }) {
      if (port === IMAP_PORT) serveImap(socket, session, { login: LOGIN });
      else serveSmtp(socket, session, LOGIN);
    },
  },
};
