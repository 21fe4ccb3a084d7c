import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { HOSTED, hosted } from '../../emulators/server/media.ts';
import { FIRST_TOKEN, viberError } from '../../emulators/viber.ts';
import type { Case } from '../suite.ts';
import { media, withoutFile } from '../upload-cases.ts';

/* Videos and files, which Viber fetches itself but needs the size of. */

type ViberCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: FIRST_TOKEN } as const;
const sizeOf = (name: keyof typeof HOSTED) => HOSTED[name].bytes.length;

export const UPLOADS: readonly ViberCase[] = [
  {
    it: 'sends a video with its size, followed by its caption',
    message: media('Video', { content: 'Look' }),
    sees: [
      { json: { type: 'video', media: hosted('clip.mp4'), size: sizeOf('clip.mp4') } },
      { json: { type: 'text', text: 'Look' } },
    ],
    outcome: { outcome: 'sent', id: String(BigInt(FIRST_TOKEN) + 1n) },
  },
  ...(
    [
      ['Document', 'report.pdf', 'The report', 'The report.pdf'],
      ['Document', 'report.pdf', undefined, 'report.pdf'],
      ['Audio', 'voice.ogg', 'a/b.ogg', 'a_b.ogg'],
    ] as const
  ).map(([type, file, name, file_name]): ViberCase => ({
    it: `sends a file with its size and name: ${type}, ${file_name}`,
    message: media(type, {
      url: hosted(file),
      mediaType: HOSTED[file].mediaType,
      ...(name !== undefined && { name }),
    }),
    sees: [{ json: { type: 'file', media: hosted(file), size: sizeOf(file), file_name } }],
    outcome: SENT,
  })),
  ...withoutFile('Document'),
  {
    it: 'does not send a video that is too large',
    message: media('Video', { url: hosted('clip.mp4', 26_000_001) }),
    sees: [],
    outcome: { outcome: 'permanent', blame: 'content', detail: 'larger than 26000000 bytes' },
  },
  {
    it: 'fails when Viber rejects the file type',
    message: media('Document'),
    answers: [viberError(3, 'file extension is forbidden')],
    outcome: { outcome: 'permanent', blame: 'content', code: '3' },
  },
];
