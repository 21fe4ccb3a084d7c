import type { CallOptions, Cursor, CallInput, ItemOf, ListName, Transport } from './transport.ts';

/** Paging options of a list. */
export interface PageOptions {
  /** Items per page, at most 1,000. Default: 100. */
  limit?: number;
}

type PageFetch<Item> = (
  cursor: Cursor | undefined,
) => Promise<{ data: readonly Item[]; next: Cursor | undefined }>;

/**
 * A list, newest first. Iterate over it; pages are fetched as needed:
 *
 * ```ts
 * for await (const message of client.messages.list({ state: 'failed' })) …
 * ```
 *
 * Or fetch only the first items: `await client.messages.list().first(10)`.
 */
export class List<Item> implements AsyncIterable<Item> {
  readonly #fetch: PageFetch<Item>;

  constructor(fetchPage: PageFetch<Item>) {
    this.#fetch = fetchPage;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page;
  }

  /** Iterates over pages. */
  async *pages(): AsyncGenerator<readonly Item[], void, undefined> {
    let cursor: Cursor | undefined;
    for (;;) {
      const { data, next } = await this.#fetch(cursor);
      yield data;
      // A page that links to itself would loop forever.
      if (!next || next.toString() === cursor?.toString()) return;
      cursor = next;
    }
  }

  /** The first `count` items. */
  async first(count: number): Promise<Item[]> {
    const items: Item[] = [];
    if (count <= 0) return items;
    for await (const item of this) {
      items.push(item);
      if (items.length >= count) break;
    }
    return items;
  }

  /** All items, in memory. */
  async all(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const page of this.pages()) items.push(...page);
    return items;
  }
}

/** The list of a paged call. */
export function listOf<Name extends ListName>(
  transport: Transport,
  name: Name,
  input: CallInput<Name>,
  options: CallOptions = {},
): List<ItemOf<Name>> {
  return new List((cursor) => transport.page(name, input, options, cursor));
}
