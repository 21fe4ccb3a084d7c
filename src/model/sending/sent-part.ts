/** A sent part of a message. */
export interface SentPart {
  /** The channel's id. */
  id: string;
  /** Data that the channel needs to change the part later; never shown. */
  kept?: string;
}

/** A stored list of parts: most have an id only. */
type StoredPart = string | [id: string, kept: string];

export function readParts(stored: string | null): SentPart[] {
  if (stored === null) return [];
  return (JSON.parse(stored) as StoredPart[]).map((part) =>
    typeof part === 'string' ? { id: part } : { id: part[0], kept: part[1] },
  );
}

export function appendPart(stored: string | null, { id, kept }: SentPart): string {
  const before = stored === null ? [] : (JSON.parse(stored) as StoredPart[]);
  return JSON.stringify([...before, kept === undefined ? id : [id, kept]]);
}

/** The channel's ids of the parts. */
export function readPartIds(stored: string | null): string[] {
  if (stored === null) return [];
  return (JSON.parse(stored) as StoredPart[]).map((part) =>
    typeof part === 'string' ? part : part[0],
  );
}
