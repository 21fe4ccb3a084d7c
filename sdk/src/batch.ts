const MAX_MESSAGES = 1_000;
/** The maximum size of a request body, less some room for the JSON around the messages. */
const MAX_BYTES = 8 * 1024 * 1024 - 1024;

const encoder = new TextEncoder();

/** Yields request bodies that carry all items in order, in as few calls as possible. */
export async function* batchesOf<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
): AsyncGenerator<string, void, undefined> {
  let parts: string[] = [];
  let bytes = 0;
  const body = () => `{"messages":[${parts.join(',')}]}`;
  for await (const item of items) {
    const part = JSON.stringify(item);
    const size = encoder.encode(part).length + 1;
    if (parts.length > 0 && (parts.length >= MAX_MESSAGES || bytes + size > MAX_BYTES)) {
      yield body();
      parts = [];
      bytes = 0;
    }
    parts.push(part);
    bytes += size;
  }
  if (parts.length > 0) yield body();
}
