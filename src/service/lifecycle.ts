/** A part of the service that is started, stopped, or both. */
export interface Part {
  start?(): unknown;
  /** `remainingMs` counts down to the moment when the stop should be over. */
  stop?(remainingMs: () => number): unknown;
}

/** Starts parts in order. Parts that return a promise are waited for. */
export async function startInOrder(parts: readonly Part[]): Promise<void> {
  for (const part of parts) await part.start?.();
}

/** Stops parts in the reverse of the order in which they started. */
export async function stopInReverse(
  parts: readonly Part[],
  remainingMs: () => number,
): Promise<void> {
  for (const part of parts.toReversed()) await part.stop?.(remainingMs);
}
