/** A part of the service that is started, stopped, or both. */
export interface Part {
  start?(): unknown;
  /** `remainingMs` returns the time left until the stop must be complete. */
  stop?(remainingMs: () => number): unknown;
}

/** Starts parts in order and awaits each. */
export async function startInOrder(parts: readonly Part[]): Promise<void> {
  for (const part of parts) await part.start?.();
}

export async function stopInReverse(
  parts: readonly Part[],
  remainingMs: () => number,
): Promise<void> {
  for (const part of parts.toReversed()) await part.stop?.(remainingMs);
}
