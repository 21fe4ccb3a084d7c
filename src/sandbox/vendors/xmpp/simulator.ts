import { domainOf } from '../../../channels/xmpp/jid.ts';
import { type Simulator, WITHOUT_HTTP } from '../../simulator.ts';
import { serveXmpp } from './server.ts';
import { idInRoom, personIdOf } from './stanzas.ts';

const JID = 'switchboard@sandbox.test';
const PASSWORD = 'fake-password';
const ROOM = 'example@rooms.sandbox.test';
const isRoom = (address: string) => domainOf(address) === 'rooms.sandbox.test';

export const xmpp: Simulator = {
  ...WITHOUT_HTTP,
  channel: 'xmpp',
  limits: { none: 'the operator of the server sets the rate' },
  credentials: {
    username: JID,
    token: PASSWORD,
    address: 'sandbox.test:5222',
    consumer_key: ROOM,
  },
  people: [
    { address: 'ada@sandbox.test', name: 'Ada' },
    { address: 'grace@sandbox.test', name: 'Grace' },
    { address: ROOM, name: 'Example room', isRoom: true },
  ],
  isRoom,
  magicAddress: (number) => `fault-${number}@sandbox.test`,
  // The response to a message is the absence of errors.
  lacks: ['malformed'],
  idOf: (number, { room }) => (room ? idInRoom(personIdOf(number)) : personIdOf(number)),
  session: {
    reports: ['message', 'join', 'leave'],
    receipts: ['delivered', 'read', 'failed'],
    serve: (socket, session) =>
      serveXmpp(socket, session, {
        jid: JID,
        password: PASSWORD,
        isRoom,
        occupants: ['Ada', 'Grace'],
      }),
  },

  /** The files that people send have public URLs. */
  async respond({ path }, phone) {
    const [, id = ''] = /^\/files\/(\w+)\//.exec(path) ?? [];
    const file = await phone.file(id);
    if (!file) return { status: 404, body: 'not found' };
    return { status: 200, headers: { 'content-type': file.mediaType }, body: file.bytes };
  },
};
