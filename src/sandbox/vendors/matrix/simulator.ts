import { textMember } from '../../../lib/json/json-member.ts';
import type { Simulator } from '../../simulator.ts';
import { matrixError } from './content.ts';
import { type Homeserver, respondAs, sendIn } from './homeserver.ts';
import { SELF, addressOf, eventOf, roomOf } from './sync.ts';

const TOKEN = 'syt_fake_token_of_a_bot';
const ROOM = '!example:sandbox.test';

const people: Simulator['people'] = [
  { address: '@ada:sandbox.test', name: 'Ada' },
  { address: '@grace:sandbox.test', name: 'Grace' },
  { address: ROOM, name: 'Example room', isRoom: true },
];

const HOME: Homeserver = {
  name: 'sandbox.test',
  self: SELF,
  isToken: (token) => token === TOKEN,
  people,
  maxFileBytes: 10 * 1024 * 1024,
};

export const matrix: Simulator = {
  channel: 'matrix',
  limits: { none: 'the operator of the homeserver sets the rate' },
  credentials: { address: 'https://sandbox.test', token: TOKEN },
  people,
  isRoom: (address) => address.startsWith('!'),
  hasPlaces: () => true,
  magicAddress: (number) => `@fault-${number}:sandbox.test`,
  // A homeserver lists each event once, and in one order.
  lacks: ['repeated_webhook', 'reordered_webhooks'],
  polled: ['message', 'join', 'leave'],
  polledReceipts: ['read'],
  // In direct rooms only.
  hasReceipt: ({ person }) => person.startsWith('@'),
  idOf: (number, { person, room }) =>
    `${roomOf(room?.address ?? person.address)}/${eventOf(number)}`,

  recipientOf(request) {
    const sent = sendIn(request);
    const isNew = textMember(request.json, 'm.relates_to', 'rel_type') !== 'm.replace';
    return sent && isNew ? addressOf(sent.room) : undefined;
  },

  respond: (request, phone) => respondAs(HOME, request, phone),

  refusals: {
    blocked: () => matrixError(403, 'M_FORBIDDEN', 'You are banned from this room'),
    unknown: () => matrixError(403, 'M_FORBIDDEN', `User ${SELF} not in room`),
    limited: (seconds) => ({
      ...matrixError(429, 'M_LIMIT_EXCEEDED', 'Too Many Requests', {
        retry_after_ms: seconds * 1000,
      }),
      headers: { 'retry-after': String(seconds) },
    }),
    credentials: () => matrixError(401, 'M_UNKNOWN_TOKEN', 'Invalid access token'),
  },

  reports: {},
};
