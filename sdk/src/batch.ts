/** How many messages one call takes. */
const MOST = 1_000;
/** How many bytes one call takes, with some room for what is around them. */
const MOST_BYTES = 8 * 1024 * 1024 - 1024;

const encoder = new TextEncoder();

/** The bodies of as few calls as can carry all of them, in their order. */
export async function* batchesOf<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
): AsyncGenerator<string, void, undefined> {
  let parts: string[] = [];
  let bytes = 0;
  const body = () => `{"messages":[${parts.join(',')}]}`;
  for await (const item of items) {
    const part = JSON.stringify(item);
    const size = encoder.encode(part).length + 1;
    if (parts.length > 0 && (parts.length >= MOST || bytes + size > MOST_BYTES)) {
      yield body();
      parts = [];
      bytes = 0;
    }
    parts.push(part);
    bytes += size;
  }
  if (parts.length > 0) yield body();
}
