import { BOT, GROUPS, MAX_BYTES, TOKEN } from '../../emulators/groupme.ts';
import type { Accident, Reply, Request } from '../../emulators/server/http.ts';
import { HOSTED, hosted } from '../../emulators/server/media.ts';
import type { Case } from '../suite.ts';
import { assertUploaded, media, unhad, unheard } from '../upload-cases.ts';

/* Pictures for GroupMe's image service, which takes the access token of a person. */

type GroupMeCase = Case<Request, Reply | Accident>;

const PERSON = { token: undefined, secret: TOKEN };
const UPLOAD = {
  method: 'POST',
  path: '/pictures',
  headers: { 'x-access-token': TOKEN, 'content-type': 'image/png' },
};
const { length } = HOSTED['photo.png'].bytes;
const IMAGE = { type: 'image', url: `https://i.groupme.com/1x1.png.fake${length}` };
const AS_PERSON = { outcome: 'sent', id: '174769395496127001' } as const;

const fails = (
  it: string,
  answers: readonly (Reply | Accident)[],
  outcome: GroupMeCase['outcome'],
): GroupMeCase => ({
  it: `${it} while it uploads`,
  credentials: PERSON,
  message: media('Image'),
  answers,
  outcome,
});

export const UPLOADS: readonly GroupMeCase[] = [
  {
    it: 'uploads a picture as a person',
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
    it: 'uploads a picture for a bot, with the token of its owner, as an answer',
    credentials: { secret: TOKEN },
    message: media('Image', { inReplyTo: '17' }),
    sees: [
      UPLOAD,
      { path: '/bots/post', json: { bot_id: BOT, attachments: [{ type: 'reply' }, IMAGE] } },
    ],
    outcome: { outcome: 'sent' },
  },
  {
    it: 'sends a link to a picture for a bot without the token of its owner',
    message: media('Image', { content: 'Look' }),
    sees: [{ path: '/bots/post', json: { text: `Look\n${hosted('photo.png')}` } }],
    outcome: { outcome: 'sent' },
  },
  {
    it: 'sends a link to a picture of a kind that the image service does not take',
    credentials: PERSON,
    message: media('Image', { mediaType: 'image/svg+xml' }),
    sees: [{ json: { message: { text: hosted('photo.png') } } }],
    outcome: AS_PERSON,
  },
  {
    it: 'is told that a picture is too large',
    credentials: PERSON,
    message: media('Image', { url: hosted('photo.png', MAX_BYTES + 1) }),
    sees: [UPLOAD],
    outcome: { outcome: 'permanent', blame: 'content', code: '413' },
  },
  ...unhad('Image').map((each): GroupMeCase =>
    Object.assign(each, { credentials: PERSON } satisfies Partial<GroupMeCase>),
  ),
  {
    it: 'blames the access token when the image service does not know it',
    credentials: { token: undefined, secret: 'fake' },
    message: media('Image'),
    outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
  },
  {
    it: 'does not ask with what can be no access token',
    credentials: { token: undefined, secret: 'fake token' },
    message: media('Image'),
    sees: [],
    outcome: { outcome: 'permanent', blame: 'credentials' },
  },
  ...unheard(fails, 'address'),
];
