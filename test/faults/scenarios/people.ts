import assert from 'node:assert/strict';

import { call } from '../../support/programs/command.ts';
import { until } from '../../support/until.ts';
import { noteTo } from './load.ts';

/*
 * Work on contacts while nodes are killed: an import, merges, and erasures. Each must happen once and completely. Requests
 * are repeated until they are answered.
 */

export interface PeopleKept {
  /** Rows of the file, and those that are not exactly one contact afterwards. */
  rows: number;
  misread: number;
  merged: number;
  /** Merges that are incomplete, or were reported never or twice. */
  torn: number;
  erased: number;
  /** Erasures that are incomplete, or were reported never or twice. */
  left: number;
}

/** Imports run in blocks of 250 rows. */
const ROWS = 6_000;
const PATIENCE_MS = 120_000;
/** The beginning of the addresses of people who are erased. */
const ERASED_ADDRESS = 'C8';

interface Pair {
  id: number;
  otherId: number;
}

interface Event {
  id: number;
  type: string;
  data: { contact_id?: number; other_contact_id?: number; to?: string };
}

export class PeopleWork {
  readonly #url: () => string;
  readonly #token: string;
  readonly #integrationId: number;
  readonly #pairs: Pair[] = [];
  readonly #erased: { id: number; address: string }[] = [];
  #importId = 0;

  constructor(
    url: () => string,
    { token, integrationId }: { token: string; integrationId: number },
  ) {
    this.#url = url;
    this.#token = token;
    this.#integrationId = integrationId;
  }

  /** Starts the import, and merges and erases contacts until `isEnough`. */
  async run(isEnough: () => boolean): Promise<void> {
    await this.#import();
    for (let i = 0; !isEnough(); i++) await Promise.all([this.#mergePair(i), this.#eraseOne(i)]);
  }

  async judge(): Promise<PeopleKept> {
    await until(
      'the end of the import',
      async () => {
        const { body } = await this.#get(`/1/contact-imports/${this.#importId}`);
        return body.finished_at !== null;
      },
      PATIENCE_MS,
    );
    const { body: over } = await this.#get(`/1/contact-imports/${this.#importId}`);
    assert.deepEqual([over.created, over.failed, over.unchanged], [ROWS, 0, 0], 'rows by result');
    for (const { id } of this.#erased) {
      await until(
        'the end of an erasure',
        async () => {
          return (await this.#get(`/1/contacts/${id}/erasure`)).body.state === 'done';
        },
        PATIENCE_MS,
      );
    }
    const events = await this.#events();
    const kept = { rows: ROWS, merged: this.#pairs.length, erased: this.#erased.length };
    return {
      ...kept,
      misread: await this.#misread(),
      torn: await count(this.#pairs, (pair) => this.#isTorn(pair, events)),
      left: await count(this.#erased, (one) => this.#isLeft(one, events)),
    };
  }

  async #import(): Promise<void> {
    const lines = Array.from({ length: ROWS }, (_, i) => `row-${i},Row ${i},row${i}@example.com`);
    const file = ['external_id,name,email', ...lines].join('\n');
    const headers = {
      authorization: `Bearer ${this.#token}`,
      'content-type': 'text/csv',
      'idempotency-key': 'import',
    };
    this.#importId = await until(
      'the import is accepted',
      async () => {
        const url = `${this.#url()}/1/contact-imports`;
        const answer = await fetch(url, { method: 'POST', headers, body: file }).catch(() => null);
        assert.ok(!answer || answer.status === 202 || answer.status >= 409, `${answer?.status}`);
        return answer?.status === 202 && ((await answer.json()) as { id: number }).id;
      },
      PATIENCE_MS,
    );
  }

  async #mergePair(number: number): Promise<void> {
    const make = (name: string) =>
      this.#make(`${name}-${number}`, [
        { channel: 'email', address: `${name}${number}@merged.example.com` },
      ]);
    const pair = { id: await make('one'), otherId: await make('other') };
    const path = `/1/contacts/${pair.id}/merge`;
    await this.#answered(`merge-${number}`, 'POST', path, { contact_id: pair.otherId });
    this.#pairs.push(pair);
  }

  async #eraseOne(number: number): Promise<void> {
    const address = `${ERASED_ADDRESS}${String(number).padStart(8, '0')}`;
    const id = await this.#make(`erased-${number}`, [{ channel: 'slack', address }]);
    const message = noteTo(`contact:${id}`, `erased text ${number}`, this.#integrationId);
    await this.#answered(`erased-message-${number}`, 'POST', '/1/message', message);
    await this.#answered(`erase-${number}`, 'POST', `/1/contacts/${id}/erase`, {});
    this.#erased.push({ id, address });
  }

  async #make(key: string, addresses: readonly object[]): Promise<number> {
    return (await this.#answered(`make-${key}`, 'POST', '/1/contacts', { addresses })).id;
  }

  async #answered(key: string, method: string, path: string, json: object) {
    const headers = { 'idempotency-key': key };
    return until(
      `${key} is answered`,
      async () => {
        const request = call(this.#url(), method, path, { token: this.#token, json, headers });
        const answer = await request.catch(() => undefined);
        if (answer && answer.status < 300) return answer.body;
        const isOver = answer && answer.status < 500 && ![409, 429].includes(answer.status);
        assert.ok(!isOver, `${key}: ${answer?.status} ${answer?.text}`);
        return false;
      },
      PATIENCE_MS,
    );
  }

  #get(path: string) {
    return call(this.#url(), 'GET', path, { token: this.#token });
  }

  async #events(): Promise<Event[]> {
    const all: Event[] = [];
    for (let after = 0; ;) {
      const { body } = await this.#get(`/1/events?limit=1000&after=${after}`);
      const page: Event[] = body.data;
      all.push(...page);
      const last = page.at(-1);
      if (!last) return all;
      after = last.id;
    }
  }

  async #misread(): Promise<number> {
    const times = new Map<string, number>();
    for (let after = ''; ;) {
      const { body } = await this.#get(`/1/contacts?limit=1000${after}`);
      for (const { external_id: id } of body.data) times.set(id, (times.get(id) ?? 0) + 1);
      const last = body.data.at(-1);
      if (!last) break;
      after = `&starting_after=${last.id}`;
    }
    const rows = Array.from({ length: ROWS }, (_, i) => `row-${i}`);
    return rows.filter((row) => times.get(row) !== 1).length;
  }

  async #isTorn({ id, otherId }: Pair, events: readonly Event[]): Promise<boolean> {
    const [one, other, merges] = await Promise.all(
      [`/1/contacts/${id}`, `/1/contacts/${otherId}`, `/1/contacts/${id}/merges`].map((path) =>
        this.#get(path),
      ),
    );
    const reports = events.filter(
      ({ type, data }) => type === 'contact.merged' && data.other_contact_id === otherId,
    );
    const isWhole =
      one?.body.addresses.length === 2 && other?.status === 404 && merges?.body.data.length === 1;
    return !isWhole || reports.length !== 1;
  }

  async #isLeft(
    { id, address }: { id: number; address: string },
    events: readonly Event[],
  ): Promise<boolean> {
    const { body: messages } = await this.#get(`/1/messages?to=${address}`);
    const { body: found } = await this.#get(`/1/conversations?search=${address}`);
    const { status } = await this.#get(`/1/contacts/${id}`);
    const named = events.filter(({ data }) => data.to === address);
    const reports = events.filter(
      ({ type, data }) => type === 'contact.erased' && data.contact_id === id,
    );
    const isGone = messages.data.length + found.data.length + named.length === 0 && status === 404;
    return !isGone || reports.length !== 1;
  }
}

async function count<Item>(
  items: readonly Item[],
  isCounted: (item: Item) => Promise<boolean>,
): Promise<number> {
  let found = 0;
  for (const item of items) if (await isCounted(item)) found++;
  return found;
}
