import { BOT, GROUPS, MAX_BYTES, TOKEN } from '../../emulators/groupme.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { hosted } from '../../emulators/server/media.ts';
import type { Case } from '../suite.ts';
import { assertUploaded, media, withoutFile, withoutResponse } from '../upload-cases.ts';

/* Images for GroupMe's image service, which requires a user's access token. */

type GroupMeCase = Case<Request, Reply | ConnectionFault>;

const PERSON = { token: undefined, secret: TOKEN };
const UPLOAD = {
  method: 'POST',
  path: '/pictures',
  headers: { 'x-access-token': TOKEN, 'content-type': 'image/png' },
};
const IMAGE = { type: 'image', url: 'https://i.groupme.com/64x48.png.00001' };
const AS_PERSON = { outcome: 'sent', id: '174769395496127001' } as const;

const fails = (
  it: string,
  answers: readonly (Reply | ConnectionFault)[],
  outcome: GroupMeCase['outcome'],
): GroupMeCase => ({
  it: `upload: ${it}`,
  credentials: PERSON,
  message: media('Image'),
  answers,
  outcome,
});

export const UPLOADS: readonly GroupMeCase[] = [
  {
    it: 'uploads an image as a user',
    credentials: PERSON,
    message: media('Image', { content: 'Look' }),
    sees: [
      UPLOAD,
      {
        path: `/groups/${GROUPS.ours}/messages`,
        json: { message: { text: 'Look', attachments: [IMAGE] } },
      },
    ],
    outcome: AS_PERSON,
    also: (seen) => assertUploaded(seen, 'photo.png'),
  },
  {
    it: "uploads an image for a bot with its owner's token, as a reply",
    credentials: { secret: TOKEN },
    message: media('Image', { inReplyTo: '17' }),
    sees: [
      UPLOAD,
      { path: '/bots/post', json: { bot_id: BOT, attachments: [{ type: 'reply' }, IMAGE] } },
    ],
    outcome: { outcome: 'sent' },
  },
  {
    it: "sends a link to an image for a bot without its owner's token",
    message: media('Image', { content: 'Look' }),
    sees: [{ path: '/bots/post', json: { text: `Look\n${hosted('photo.png')}` } }],
    outcome: { outcome: 'sent' },
  },
  {
    it: 'sends a link to an image of a type that the image service refuses',
    credentials: PERSON,
    message: media('Image', { mediaType: 'image/svg+xml' }),
    sees: [{ json: { message: { text: hosted('photo.png') } } }],
    outcome: AS_PERSON,
  },
  {
    it: 'fails when the service rejects an image as too large',
    credentials: PERSON,
    message: media('Image', { url: hosted('photo.png', MAX_BYTES + 1) }),
    sees: [UPLOAD],
    outcome: { outcome: 'permanent', blame: 'content', code: '413' },
  },
  ...withoutFile('Image').map((each): GroupMeCase =>
    Object.assign(each, { credentials: PERSON } satisfies Partial<GroupMeCase>),
  ),
  {
    it: 'blames the access token when the image service rejects it',
    credentials: { token: undefined, secret: 'fake' },
    message: media('Image'),
    outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
  },
  {
    it: 'sends no request with a malformed access token',
    credentials: { token: undefined, secret: 'fake token' },
    message: media('Image'),
    sees: [],
    outcome: { outcome: 'permanent', blame: 'credentials' },
  },
  ...withoutResponse(fails, 'address'),
];
