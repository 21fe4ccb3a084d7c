import assert from 'node:assert/strict';
import { inspect, isDeepStrictEqual } from 'node:util';

const MAX_SHOWN_LENGTH = 300;

/** Asserts that the peer received these requests, partially compared. A failure lists only the members that differ. */
export function assertSeen(seen: readonly unknown[], expected: readonly unknown[]): void {
  if (seen.length !== expected.length) {
    const requests = seen.map((request, i) => `${i + 1}. ${summary(request)}`);
    assert.fail(
      `expected ${expected.length} requests, got ${seen.length}:\n${requests.join('\n')}`,
    );
  }
  try {
    assert.partialDeepStrictEqual(seen, expected);
  } catch (error) {
    const lines = expected.flatMap((one, i) => differences(`request ${i + 1}`, seen[i], one));
    if (lines.length === 0) throw error;
    assert.fail(lines.join('\n'));
  }
}

/** The first line of an HTTP request and its body, or a line of another protocol. */
function summary(request: unknown): string {
  if (typeof request !== 'object' || request === null) return show(request);
  const { method, path, json, form, text }: Record<string, unknown> = { ...request };
  if (typeof method !== 'string') return show(request);
  return `${method} ${String(path)} ${show(json ?? form ?? text)}`;
}

/** The members of `expected` that differ, with their paths. Bodies that are JSON are compared as JSON. */
function differences(path: string, actual: unknown, expected: unknown): string[] {
  const [was, wanted] = bodies(actual, expected);
  if (isMembers(wanted) && isMembers(was)) {
    return Object.keys(wanted).flatMap((key) =>
      differences(
        Array.isArray(wanted) ? `${path}[${key}]` : `${path}.${key}`,
        was[key],
        wanted[key],
      ),
    );
  }
  return isDeepStrictEqual(was, wanted)
    ? []
    : [`${path}: expected ${show(wanted)}, got ${show(was)}`];
}

function bodies(actual: unknown, expected: unknown): [unknown, unknown] {
  const parsed = [actual, expected].map(parseBody);
  return isMembers(parsed[0]) && isMembers(parsed[1]) && !isDeepStrictEqual(parsed[0], parsed[1])
    ? [parsed[0], parsed[1]]
    : [actual, expected];
}

function parseBody(value: unknown): unknown {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Buffer.isBuffer(value);
}

function show(value: unknown): string {
  const text = inspect(value, {
    depth: 9,
    breakLength: Infinity,
    maxStringLength: MAX_SHOWN_LENGTH,
  });
  return text.length > 4 * MAX_SHOWN_LENGTH ? `${text.slice(0, 4 * MAX_SHOWN_LENGTH)}…` : text;
}
