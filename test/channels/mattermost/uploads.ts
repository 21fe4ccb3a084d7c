import { BEFORE, CHANNEL, FIRST, MAX_BYTES, mattermostError } from '../../emulators/mattermost.ts';
import type { Accident, Reply, Request } from '../../emulators/server/http.ts';
import { HOSTED, hosted } from '../../emulators/server/media.ts';
import type { Case } from '../suite.ts';
import { KINDS, assertUploaded, media, unhad, unheard } from '../upload-cases.ts';

/* Files that Mattermost wants uploaded, before the post that has them. */

type MattermostCase = Case<Request, Reply | Accident>;

const FILE = 'file0'.padEnd(26, 'a');
const SENT = { outcome: 'sent', id: FIRST } as const;

const kinds = (['Video', 'Audio', 'Document'] as const).map((type): MattermostCase => {
  const filename = KINDS[type];
  return {
    it: `uploads a file: ${type}`,
    message: media(type, { content: 'a *caption*' }),
    sees: [
      {
        method: 'POST',
        path: '/api/v4/files',
        form: { channel_id: CHANNEL },
        parts: [{}, { name: 'files', filename, mediaType: HOSTED[filename].mediaType }],
      },
      { path: '/api/v4/posts', json: { message: String.raw`a \*caption\*`, file_ids: [FILE] } },
    ],
    outcome: SENT,
    also: (seen) => assertUploaded(seen, filename),
  };
});

const fails = (
  it: string,
  answers: readonly (Reply | Accident)[],
  outcome: MattermostCase['outcome'],
): MattermostCase => ({
  it: `${it} while it uploads`,
  message: media('Document'),
  answers,
  outcome,
});

export const UPLOADS: readonly MattermostCase[] = [
  ...kinds,
  {
    it: 'uploads a file without a word into a thread',
    message: media('Document', { inReplyTo: BEFORE }),
    sees: [{}, { json: { message: '', root_id: BEFORE, file_ids: [FILE] } }],
    outcome: SENT,
  },
  {
    it: 'puts no file in the place of a post',
    calls: 'edit',
    earlier: { id: BEFORE, recipient: CHANNEL },
    message: media('Document'),
    sees: [],
    outcome: { outcome: 'permanent', blame: 'unsupported' },
  },
  {
    it: 'is told that a file is too large for the server',
    message: media('Document', { url: hosted('report.pdf', MAX_BYTES + 1) }),
    outcome: {
      outcome: 'permanent',
      blame: 'content',
      code: 'api.file.upload_file.too_large_detailed.app_error',
    },
  },
  ...unhad('Document'),
  fails(
    'blames no channel where there are no files',
    [mattermostError(403, 'api.file.attachments.disabled.app_error')],
    { outcome: 'permanent', blame: 'unsupported', code: 'api.file.attachments.disabled.app_error' },
  ),
  fails('blames the channel', [mattermostError(403, 'api.context.permissions.app_error')], {
    outcome: 'permanent',
    blame: 'recipient',
    code: 'api.context.permissions.app_error',
  }),
  ...unheard(fails, 'id'),
];
