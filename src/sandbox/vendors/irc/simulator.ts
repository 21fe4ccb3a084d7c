import { type Simulator, WITHOUT_HTTP } from '../../simulator.ts';
import { serveIrc } from './server.ts';

const PASSWORD = 'fake-password';
const ROOM = '#example';
const MEMBERS = ['ada', 'grace'] as const;

export const irc: Simulator = {
  ...WITHOUT_HTTP,
  channel: 'irc',
  limits: {
    none: 'the operator of the server sets the rate; Switchboard sends a line every 2 seconds after 4',
  },
  credentials: {
    address: 'sandbox.test:6697+tls',
    username: 'switchboard',
    token: PASSWORD,
    consumer_key: ROOM,
  },
  people: [
    { address: MEMBERS[0], name: MEMBERS[0] },
    { address: MEMBERS[1], name: MEMBERS[1] },
    { address: ROOM, name: ROOM, isRoom: true },
  ],
  isRoom: (address) => /^[#&+!]/.test(address),
  magicAddress: (number) => `fault-${number}`,
  // The response to a command is the absence of errors.
  lacks: ['malformed'],
  session: {
    reports: ['message', 'join', 'leave'],
    serve: (socket, session) => serveIrc(socket, session, { password: PASSWORD, members: MEMBERS }),
  },
};
