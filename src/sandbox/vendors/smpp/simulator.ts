import { type Simulator, WITHOUT_HTTP } from '../../simulator.ts';
import { serveSmpp } from './server.ts';

const LOGIN = { systemId: 'switchboard', password: 'fake-password' };

export const smpp: Simulator = {
  ...WITHOUT_HTTP,
  channel: 'smpp',
  limits: { none: 'the contract with the provider sets the rate' },
  credentials: {
    address: 'sandbox.test:3550+tls',
    username: LOGIN.systemId,
    secret: LOGIN.password,
  },
  people: [
    { address: '+15558675310', name: 'Ada Example' },
    { address: '+15558675311', name: 'Grace Example' },
  ],
  magicAddress: (number) => `+15005550${number}`,
  // Received messages have no ids, so a repeated one is another message.
  lacks: ['malformed', 'repeated_webhook'],
  session: {
    reports: ['message'],
    receipts: ['delivered', 'failed'],
    serve: (socket, session) => serveSmpp(socket, session, LOGIN),
  },
};
