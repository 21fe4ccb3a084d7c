import type { Conversation } from '../../api/types.ts';
import { textTo } from '../../messages/snippets.ts';
import { type ButtonDraft, type UnknownRecord, putButtons } from '../../playground/draft.ts';
import {
  NO_INSTRUCTIONS,
  type TemplateChoice,
  instructionsOf,
} from '../../playground/instructions.ts';
import { MAX_FILE_BYTES } from './upload.ts';

/* The draft of a reply, and the message made from it. */

export const FILE_KINDS = ['Image', 'Video', 'Audio', 'Document'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/** A file from the disk, which is uploaded when the reply is sent, or one at a URL. */
export type FileDraft = { file: File; kind: FileKind } | { url: string; kind: FileKind };

export interface ReplyDraft {
  text: string;
  file: FileDraft | undefined;
  buttons: readonly ButtonDraft[];
}

export const EMPTY: ReplyDraft = { text: '', file: undefined, buttons: [] };

const KINDS: readonly [extension: RegExp, kind: FileKind][] = [
  [/\.(?:png|jpe?g|gif|webp|avif)$/i, 'Image'],
  [/\.(?:mp4|mov|webm|mkv|3gp)$/i, 'Video'],
  [/\.(?:mp3|ogg|oga|opus|m4a|aac|wav|amr)$/i, 'Audio'],
];

const kindNamed = (name: string): FileKind =>
  KINDS.find(([extension]) => extension.test(name))?.[1] ?? 'Document';

/** The kind of a file, by the extension in its URL. */
export const kindOf = (url: string): FileKind => kindNamed(URL.parse(url)?.pathname ?? '');

/** A chosen file, with its kind by the type that the browser found, or its name. */
export function chosenFile(file: File): FileDraft {
  const [main = ''] = file.type.split('/', 1);
  const kind = FILE_KINDS.find((each) => each.toLowerCase() === main) ?? kindNamed(file.name);
  return { file, kind };
}

export const isWebUrl = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text);

/** Whether it can be sent. */
export const isComplete = ({ text, file, buttons }: ReplyDraft): boolean =>
  (file === undefined ? text.trim() !== '' : isSendable(file)) &&
  buttons.every(({ name, url }) => name.trim() !== '' && (url === '' || URL.canParse(url)));

const isSendable = (file: FileDraft): boolean =>
  'url' in file ? isWebUrl(file.url) : file.file.size > 0 && file.file.size <= MAX_FILE_BYTES;

type Place = Pick<Conversation, 'integration_id' | 'to'>;

/** The URL of the message's file, and the name and type that the API returned for an upload. */
interface FileLocation {
  url: string;
  name?: string;
  mediaType?: string;
}

export function activityOf(
  place: Place,
  { text, file, buttons }: ReplyDraft,
  located: FileLocation | undefined,
): UnknownRecord {
  const plain = textTo(place.integration_id, place.to, text);
  const object = file &&
    located && {
      type: file.kind,
      url: located.url,
      ...(located.name !== undefined && { name: located.name }),
      ...(located.mediaType !== undefined && { mediaType: located.mediaType }),
      ...(text.trim() !== '' && { content: text }),
    };
  return putButtons({ ...plain, ...(object && { object }) }, buttons);
}

/** The body of a message that is a template; undefined while its values are invalid. */
export function templateBody({ integration_id: integration, to }: Place, template: TemplateChoice) {
  const instructions = instructionsOf({ ...NO_INSTRUCTIONS, template });
  if (!instructions) return undefined;
  const message = { ...textTo(integration, to, ''), object: { type: 'Note' } };
  return { message, ...instructions };
}

const drafts = new Map<number, ReplyDraft>();

/** The saved text of a reply that was not sent. */
export const draftOf = (conversation: number): ReplyDraft => drafts.get(conversation) ?? EMPTY;

export const keepDraft = (conversation: number, draft: ReplyDraft): void =>
  void (draft === EMPTY ? drafts.delete(conversation) : drafts.set(conversation, draft));
