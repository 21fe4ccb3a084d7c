import { parseExactly } from '../api/exact-json.ts';

/*
 * The draft: an activity as JSON text and as a form. The text is the only state; the form reads from it and writes
 * to it, so the two cannot differ, and properties that the form does not know are kept.
 */

export type UnknownRecord = Readonly<Record<string, unknown>>;
export type Path = readonly [string, ...string[]];

export type Draft =
  | { activity: UnknownRecord; parseError?: never }
  | { activity?: never; parseError: string };

const isObject = (value: unknown): value is UnknownRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function readDraft(text: string): Draft {
  try {
    const value = parseExactly(text);
    return isObject(value) ? { activity: value } : { parseError: 'The JSON must be an object.' };
  } catch (error) {
    return { parseError: error instanceof Error ? error.message : 'Invalid JSON.' };
  }
}

export const writeDraft = (activity: UnknownRecord): string => JSON.stringify(activity, null, 2);

/** Value at a path; undefined if absent. */
function at(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  return isObject(value) && Object.hasOwn(value, name) ? at(value[name], rest) : undefined;
}

/** Value at a path, as text for a field. */
export function textAt(value: unknown, ...path: string[]): string {
  const found = at(value, path);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
}

/** Copy with another value at a path; undefined removes it. */
export function put(value: unknown, [name, ...rest]: Path, next: unknown): UnknownRecord {
  const object: UnknownRecord = isObject(value) ? value : {};
  const [inner, ...deeper] = rest;
  const changed = inner === undefined ? next : put(object[name], [inner, ...deeper], next);
  const { [name]: _former, ...others } = object;
  if (changed === undefined) return others;
  return Object.hasOwn(object, name)
    ? { ...object, [name]: changed }
    : { ...others, [name]: changed };
}

export interface ButtonDraft {
  name: string;
  url: string;
  value: string;
}

const attachmentOf = (activity: UnknownRecord): readonly unknown[] => {
  const found = at(activity, ['object', 'attachment']);
  return Array.isArray(found) ? found : [];
};

const isButton = (value: unknown) => textAt(value, 'type') === 'Button';

export const buttonsOf = (activity: UnknownRecord): ButtonDraft[] =>
  attachmentOf(activity)
    .filter(isButton)
    .map((each) => ({
      name: textAt(each, 'name'),
      url: textAt(each, 'url'),
      value: textAt(each, 'value'),
    }));

/** Copy with these buttons, behind other attachments. */
export function putButtons(
  activity: UnknownRecord,
  buttons: readonly ButtonDraft[],
): UnknownRecord {
  const others = attachmentOf(activity).filter((each) => !isButton(each));
  const attachment = [
    ...others,
    ...buttons.map(({ name, url, value }) => ({
      type: 'Button',
      name,
      ...(url !== '' && { url }),
      ...(value !== '' && { value }),
    })),
  ];
  return put(activity, ['object', 'attachment'], attachment.length > 0 ? attachment : undefined);
}

export const KINDS = ['Note', 'Image', 'Video', 'Audio', 'Document', 'Place'] as const;

/** Copy with an object of another type that keeps the common properties. */
export function putKind(activity: UnknownRecord, kind: string): UnknownRecord {
  const object = at(activity, ['object']);
  const { mediaType: _type, latitude, longitude, ...kept } = isObject(object) ? object : {};
  const placed = { latitude: latitude ?? 52.52, longitude: longitude ?? 13.405 };
  return {
    ...activity,
    object: { ...kept, type: kind, ...(kind === 'Place' && placed) },
  };
}

/** Whether it is complete enough for a dry run. With a template, a text needs no content of its own. */
export function isComplete(activity: UnknownRecord, hasTemplate = false): boolean {
  const kind = textAt(activity, 'object', 'type');
  const needsUrl = kind !== 'Note' && kind !== 'Place' && kind !== 'Collection';
  return (
    textAt(activity, 'generator', 'id') !== '' &&
    textAt(activity, 'to', 'id') !== '' &&
    (textAt(activity, 'type') !== 'Create' ||
      (needsUrl
        ? URL.canParse(textAt(activity, 'object', 'url'))
        : kind !== 'Note' || hasTemplate || textAt(activity, 'object', 'content') !== '')) &&
    buttonsOf(activity).every(({ name, url }) => name !== '' && (url === '' || URL.canParse(url)))
  );
}
