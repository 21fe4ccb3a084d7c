/*
 * Describes the requests that a vendor accepts, so that a simulator can refuse everything else: missing and unknown
 * fields, wrong types, wrong lengths.
 */

/** Returns the path of the first fault in a value; undefined when the value is valid. */
export type Shape = (value: unknown, at: string) => string | undefined;

const when =
  (fits: (value: unknown) => boolean): Shape =>
  (value, at) =>
    fits(value) ? undefined : at;

export const literal = (expected: unknown): Shape => when((value) => value === expected);

/** A non-empty text of at most `max` UTF-16 units that matches the pattern. */
export const text = (max: number, pattern = /^/): Shape =>
  when(
    (value) =>
      typeof value === 'string' && value !== '' && value.length <= max && pattern.test(value),
  );

export const textOrEmpty = (max: number): Shape =>
  when((value) => typeof value === 'string' && value.length <= max);

/** A text of at most `max` bytes in UTF-8. */
export const bytes = (max: number): Shape =>
  when((value) => typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= max);

export const number: Shape = when((value) => typeof value === 'number' && Number.isFinite(value));

export const link = text(2000, /^https?:\/\/[^\s]+$/);

/** Exactly these fields. A name that ends with `?` is optional. */
export const object =
  (fields: Readonly<Record<string, Shape>>): Shape =>
  (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return at;
    const members = new Map<string, unknown>(Object.entries(value));
    const allowed = new Set(Object.keys(fields).map((name) => name.replace(/\?$/, '')));
    const unknown = [...members.keys()].find((name) => !allowed.has(name));
    if (unknown !== undefined) return `${at}.${unknown}`;
    for (const [name, shape] of Object.entries(fields)) {
      const bare = name.replace(/\?$/, '');
      const place = `${at}.${bare}`;
      if (!members.has(bare)) {
        if (bare === name) return place;
      } else {
        const fault = shape(members.get(bare), place);
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

/** Reports the fault of the last alternative. */
export const oneOf =
  (...shapes: readonly Shape[]): Shape =>
  (value, at) => {
    const faults = shapes.map((shape) => shape(value, at));
    return faults.includes(undefined) ? undefined : faults.at(-1);
  };

/** The names of the fields of an object; none for other values. */
export const fieldNamesIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.keys(value) : [];
