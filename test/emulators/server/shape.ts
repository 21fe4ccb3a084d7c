/*
 * What a vendor takes, said in a few words, so that an emulator can refuse everything else: fields that are
 * missing or that it does not know, types, lengths.
 */

/** Says where a value is not as it should be; nothing when it is. */
export type Shape = (value: unknown, at: string) => string | undefined;

const when =
  (fits: (value: unknown) => boolean): Shape =>
  (value, at) =>
    fits(value) ? undefined : at;

export const literal = (wanted: unknown): Shape => when((value) => value === wanted);

/** A text that is not empty, no longer than that, counted in UTF-16, and of that form. */
export const text = (max: number, pattern = /^/): Shape =>
  when(
    (value) =>
      typeof value === 'string' && value !== '' && value.length <= max && pattern.test(value),
  );

export const textOrNone = (max: number): Shape =>
  when((value) => typeof value === 'string' && value.length <= max);

/** A text that has no more bytes than that in UTF-8. */
export const bytes = (max: number): Shape =>
  when((value) => typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= max);

export const number: Shape = when((value) => typeof value === 'number' && Number.isFinite(value));

export const link = text(2000, /^https?:\/\/[^\s]+$/);

/** These fields and no others. A name that ends with `?` may be missing. */
export const object =
  (fields: Readonly<Record<string, Shape>>): Shape =>
  (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return at;
    const given = new Map<string, unknown>(Object.entries(value));
    const known = Object.keys(fields).map((name) => name.replace(/\?$/, ''));
    const unknown = [...given.keys()].find((name) => !known.includes(name));
    if (unknown !== undefined) return `${at}.${unknown}`;
    for (const [name, shape] of Object.entries(fields)) {
      const bare = name.replace(/\?$/, '');
      const place = `${at}.${bare}`;
      if (!given.has(bare)) {
        if (bare === name) return place;
      } else {
        const fault = shape(given.get(bare), place);
        if (fault !== undefined) return fault;
      }
    }
    return undefined;
  };

export const list =
  (shape: Shape, max: number): Shape =>
  (value, at) => {
    if (!Array.isArray(value) || value.length === 0 || value.length > max) return at;
    const faults = value.map((each: unknown, i) => shape(each, `${at}[${i}]`));
    return faults.find((fault) => fault !== undefined);
  };

/** The fault is told of the last of them. */
export const oneOf =
  (...shapes: readonly Shape[]): Shape =>
  (value, at) => {
    const faults = shapes.map((shape) => shape(value, at));
    return faults.includes(undefined) ? undefined : faults.at(-1);
  };
