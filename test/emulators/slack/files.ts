import { member, textMember } from '../../../src/lib/json/json-member.ts';
import { parseJson } from '../../../src/lib/json/parse-json.ts';
import type { Reply, Request } from '../server/http.ts';
import { areBlocks } from './blocks.ts';

/*
 * Slack's file uploads. https://docs.slack.dev/reference/methods/files.getUploadURLExternal and
 * files.completeUploadExternal
 */

const error = (name: string): Reply => ({ status: 200, body: { ok: false, error: name } });
const ok = (body: object): Reply => ({ status: 200, body: { ok: true, ...body } });

const CHANNELS = ['C0123456789', 'G0123456789', 'D0123456789'];
const PEOPLE = ['U0123456789'];

/** Received files and their addresses. */
export const SHARED: Readonly<Record<string, string>> = {
  F0SHARED: 'https://files.slack.com/files-pri/T1-F0SHARED/mill.png',
  F0ELSEWHERE: 'https://drive.example.com/mill.png',
};

interface Begun {
  length: number;
  isUploaded: boolean;
}

export function slackFiles() {
  const files = new Map<string, Begun>([['F0BEFORE', { length: 1, isUploaded: true }]]);
  const methods: Readonly<Record<string, (request: Request) => Reply>> = {
    'files.getUploadURLExternal'({ form = {}, headers }) {
      const { filename = '', length = '', ...others } = form;
      if (Object.keys(others).length > 0) return error('EMULATOR_unknown_field');
      if (filename === '' || !/^[1-9]\d*$/.test(length)) return error('missing_argument');
      const id = `F0000${files.size}`;
      files.set(id, { length: Number(length), isUploaded: false });
      return ok({ upload_url: `http://${headers['host']}/upload/v1/fake-${id}`, file_id: id });
    },

    'files.completeUploadExternal'({ form = {} }) {
      const { files: list = '', channel_id, channels, thread_ts, ...comment } = form;
      const { initial_comment: text, blocks, ...others } = comment;
      if (Object.keys(others).length > 0) return error('EMULATOR_unknown_field');
      const [one] = parseJson(list) as unknown[];
      const id = textMember(one, 'id') ?? '';
      if (!files.get(id)?.isUploaded) return error('file_not_found');
      if (typeof member(one, 'title') !== 'string') return error('EMULATOR_no_title');
      const isKnown =
        channels === undefined ? CHANNELS.includes(channel_id ?? '') : PEOPLE.includes(channels);
      if (!isKnown || (channels !== undefined && channel_id !== undefined)) {
        return error('channel_not_found');
      }
      if (thread_ts !== undefined && !/^\d+\.\d{6}$/.test(thread_ts))
        return error('invalid_thread_ts');
      if (text !== undefined && (text === '' || /[*_~`]|[<>]/.test(text)))
        return error('EMULATOR_markup');
      if (blocks !== undefined && (text !== undefined || !areBlocks(parseJson(blocks)))) {
        return error('invalid_blocks');
      }
      // Slack shares the file later, so there is no message id yet.
      return ok({ files: [{ id, title: 'x', channels: [], shares: {} }] });
    },

    /** https://docs.slack.dev/reference/methods/files.info */
    'files.info'({ form = {} }) {
      const { file = '', ...others } = form;
      if (Object.keys(others).length > 0) return error('EMULATOR_unknown_field');
      const url = SHARED[file];
      if (url === undefined) return error('file_not_found');
      return ok({ file: { id: file, name: 'mill.png', mimetype: 'image/png', url_private: url } });
    },

    'files.delete'({ json }) {
      return files.delete(textMember(json, 'file') ?? '') ? ok({}) : error('file_not_found');
    },
  };

  return {
    methods,
    put({ path, bytes }: Request): Reply {
      const file = files.get(path.replace('/upload/v1/fake-', ''));
      if (!file || file.isUploaded) return { status: 404, body: 'not found' };
      if (bytes.length !== file.length) return { status: 400, body: 'wrong length' };
      file.isUploaded = true;
      return { status: 200, body: `OK - ${bytes.length}` };
    },
  };
}
