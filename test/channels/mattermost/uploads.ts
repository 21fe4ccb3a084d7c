import { BEFORE, CHANNEL, FIRST, MAX_BYTES, mattermostError } from '../../emulators/mattermost.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { HOSTED, hosted } from '../../emulators/server/media.ts';
import type { Case } from '../suite.ts';
import { KINDS, assertUploaded, media, withoutFile, withoutResponse } from '../upload-cases.ts';

/* Files uploaded to Mattermost before their post. */

type MattermostCase = Case<Request, Reply | ConnectionFault>;

const FILE = '00001'.padStart(26, 'z');
const SENT = { outcome: 'sent', id: FIRST } as const;

const kinds = (['Video', 'Audio', 'Document'] as const).map((type): MattermostCase => {
  const filename = KINDS[type];
  return {
    it: `uploads a file of type ${type}`,
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
  answers: readonly (Reply | ConnectionFault)[],
  outcome: MattermostCase['outcome'],
): MattermostCase => ({
  it: `upload: ${it}`,
  message: media('Document'),
  answers,
  outcome,
});

export const UPLOADS: readonly MattermostCase[] = [
  ...kinds,
  {
    it: 'uploads a file without a caption to a thread',
    message: media('Document', { inReplyTo: BEFORE }),
    sees: [{}, { json: { message: '', root_id: BEFORE, file_ids: [FILE] } }],
    outcome: SENT,
  },
  {
    it: 'cannot replace a post with a file',
    calls: 'edit',
    earlier: { id: BEFORE, recipient: CHANNEL },
    message: media('Document'),
    sees: [],
    outcome: { outcome: 'permanent', blame: 'unsupported' },
  },
  {
    it: 'fails when the server rejects a file as too large',
    message: media('Document', { url: hosted('report.pdf', MAX_BYTES + 1) }),
    outcome: {
      outcome: 'permanent',
      blame: 'content',
      code: 'api.file.upload_file.too_large_detailed.app_error',
    },
  },
  ...withoutFile('Document'),
  fails(
    'does not blame the channel when files are disabled',
    [mattermostError(403, 'api.file.attachments.disabled.app_error')],
    { outcome: 'permanent', blame: 'unsupported', code: 'api.file.attachments.disabled.app_error' },
  ),
  fails('blames the channel', [mattermostError(403, 'api.context.permissions.app_error')], {
    outcome: 'permanent',
    blame: 'recipient',
    code: 'api.context.permissions.app_error',
  }),
  ...withoutResponse(fails, 'id'),
];
