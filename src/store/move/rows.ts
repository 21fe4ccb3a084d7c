import { createHash } from 'node:crypto';

/** A column value in either database. */
export type Value = string | number | null | Uint8Array;
export type Row = Record<string, Value>;

export interface Sum {
  rows: number;
  /** Independent of the order in which the rows are read. */
  checksum: string;
}

const WORDS_PER_HASH = 4;

/** Sums the hashes of rows, so that two databases with different sort orders get the same result. */
export class Checksum {
  #rows = 0;
  readonly #sum = new BigUint64Array(WORDS_PER_HASH);

  add(row: Row, columns: readonly string[]): void {
    const values = columns.map((column) => comparable(row[column] ?? null));
    const digest = createHash('sha256').update(JSON.stringify(values)).digest();
    for (let i = 0; i < WORDS_PER_HASH; i++) {
      // An element of the typed array wraps at 64 bits.
      this.#sum[i] = (this.#sum[i] ?? 0n) + digest.readBigUInt64BE(i * 8);
    }
    this.#rows++;
  }

  get sum(): Sum {
    const checksum = [...this.#sum].map((word) => word.toString(16).padStart(16, '0')).join('');
    return { rows: this.#rows, checksum };
  }
}

function comparable(value: Value): string | number | null {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}
