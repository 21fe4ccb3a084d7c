import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type StaticFile, StaticFiles, ignoreMissing } from './static-files.ts';

/** Output of `npm run build:console`. */
const DEFAULT_FOLDER = fileURLToPath(new URL('../../../console/dist', import.meta.url));

/** The built console: one page and its files. */
export class ConsoleFiles {
  readonly #folder: string;
  readonly #assets: StaticFiles;

  constructor(folder = DEFAULT_FOLDER) {
    this.#folder = folder;
    this.#assets = new StaticFiles(join(folder, 'assets'));
  }

  /** Undefined if the console is not built. */
  page(): Promise<string | undefined> {
    return ignoreMissing(readFile(join(this.#folder, 'index.html'), 'utf8'));
  }

  file(name: string): Promise<StaticFile | undefined> {
    return this.#assets.file(name);
  }
}
