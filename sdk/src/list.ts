import type { CallOptions, Cursor, Given, ItemOf, ListName, Transport } from './transport.ts';

/** What a list is asked with, besides its filters. */
export interface PageOptions {
  /** How many items a page has: 100 unless told otherwise, 1,000 at the most. */
  limit?: number;
}

type PageFetch<Item> = (
  cursor: Cursor | undefined,
) => Promise<{ data: readonly Item[]; next: Cursor | undefined }>;

/**
 * A list, the newest first. Go through all of it, page by page as it is needed:
 *
 * ```ts
 * for await (const message of client.messages.list({ state: 'failed' })) …
 * ```
 *
 * or take as much as you want: `await client.messages.list().first(10)`.
 */
export class List<Item> implements AsyncIterable<Item> {
  readonly #fetch: PageFetch<Item>;

  constructor(fetchPage: PageFetch<Item>) {
    this.#fetch = fetchPage;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page;
  }

  /** Page by page, as they come. */
  async *pages(): AsyncGenerator<readonly Item[], void, undefined> {
    let cursor: Cursor | undefined;
    for (;;) {
      const { data, next } = await this.#fetch(cursor);
      yield data;
      // A page that leads to itself would never end.
      if (!next || next.toString() === cursor?.toString()) return;
      cursor = next;
    }
  }

  /** The first of them, up to so many. */
  async first(count: number): Promise<Item[]> {
    const items: Item[] = [];
    if (count <= 0) return items;
    for await (const item of this) {
      items.push(item);
      if (items.length >= count) break;
    }
    return items;
  }

  /** All of them, in memory. */
  async all(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const page of this.pages()) items.push(...page);
    return items;
  }
}

/** The list that a call answers page by page. */
export function listOf<Name extends ListName>(
  transport: Transport,
  name: Name,
  given: Given<Name>,
  options: CallOptions = {},
): List<ItemOf<Name>> {
  return new List((cursor) => transport.page(name, given, options, cursor));
}
