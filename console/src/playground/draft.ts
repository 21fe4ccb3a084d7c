import { parseExactly } from '../api/exact-json.ts';

/*
 * What is being written: an activity as JSON, and as a form. The text is what counts; the form reads from it and
 * writes into it, so that the two cannot differ, and what the form does not know stays as it is.
 */

export type Loose = Readonly<Record<string, unknown>>;
export type Path = readonly [string, ...string[]];

export type Draft = { activity: Loose; fault?: never } | { activity?: never; fault: string };

const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function readDraft(text: string): Draft {
  try {
    const value = parseExactly(text);
    return isObject(value) ? { activity: value } : { fault: 'It has to be an object.' };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'It is no JSON.' };
  }
}

export const writeDraft = (activity: Loose): string => JSON.stringify(activity, null, 2);

/** What stands at a path; undefined where there is nothing. */
export function at(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  return isObject(value) && Object.hasOwn(value, name) ? at(value[name], rest) : undefined;
}

/** As it is shown in a field. */
export function textAt(value: unknown, ...path: string[]): string {
  const found = at(value, path);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
}

/** The same with another value at a path. What is undefined is taken out. */
export function put(value: unknown, [name, ...rest]: Path, next: unknown): Loose {
  const object: Loose = isObject(value) ? value : {};
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

const attachmentOf = (activity: Loose): readonly unknown[] => {
  const found = at(activity, ['object', 'attachment']);
  return Array.isArray(found) ? found : [];
};

const isButton = (value: unknown) => textAt(value, 'type') === 'Button';

export const buttonsOf = (activity: Loose): ButtonDraft[] =>
  attachmentOf(activity)
    .filter(isButton)
    .map((each) => ({
      name: textAt(each, 'name'),
      url: textAt(each, 'url'),
      value: textAt(each, 'value'),
    }));

/** With these buttons, after whatever else is attached. */
export function putButtons(activity: Loose, buttons: readonly ButtonDraft[]): Loose {
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

/** With an object of another kind, which keeps what kinds have in common. */
export function putKind(activity: Loose, kind: string): Loose {
  const object = at(activity, ['object']);
  const { mediaType: _type, latitude, longitude, ...kept } = isObject(object) ? object : {};
  const placed = { latitude: latitude ?? 52.52, longitude: longitude ?? 13.405 };
  return {
    ...activity,
    object: { ...kept, type: kind, ...(kind === 'Place' && placed) },
  };
}

/** Whether there is enough of it for the service to say how it would look. */
export function isWhole(activity: Loose): boolean {
  const kind = textAt(activity, 'object', 'type');
  const needsUrl = kind !== 'Note' && kind !== 'Place' && kind !== 'Collection';
  return (
    textAt(activity, 'generator', 'id') !== '' &&
    textAt(activity, 'to', 'id') !== '' &&
    (textAt(activity, 'type') !== 'Create' ||
      (needsUrl
        ? URL.canParse(textAt(activity, 'object', 'url'))
        : kind !== 'Note' || textAt(activity, 'object', 'content') !== '')) &&
    buttonsOf(activity).every(({ name, url }) => name !== '' && (url === '' || URL.canParse(url)))
  );
}
