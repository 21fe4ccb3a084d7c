import { createHash } from 'node:crypto';

/** What a column holds, in either database. */
export type Value = string | number | null | Uint8Array;
export type Row = Record<string, Value>;

export interface Sum {
  rows: number;
  /** The same for the same rows, in whatever order they are read. */
  checksum: string;
}

const WORDS = 4;

/** Adds up the hashes of rows, so that two databases that sort differently come to the same sum. */
export class Checksum {
  #rows = 0;
  readonly #sum = new BigUint64Array(WORDS);

  add(row: Row, columns: readonly string[]): void {
    const values = columns.map((column) => written(row[column] ?? null));
    const digest = createHash('sha256').update(JSON.stringify(values)).digest();
    for (let i = 0; i < WORDS; i++) {
      // An element keeps to 64 bits by itself.
      this.#sum[i] = (this.#sum[i] ?? 0n) + digest.readBigUInt64BE(i * 8);
    }
    this.#rows++;
  }

  get sum(): Sum {
    const checksum = [...this.#sum].map((word) => word.toString(16).padStart(16, '0')).join('');
    return { rows: this.#rows, checksum };
  }
}

function written(value: Value): string | number | null {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}
