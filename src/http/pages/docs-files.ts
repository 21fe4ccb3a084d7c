import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { HOME } from './contents.ts';
import { type StaticFile, StaticFiles, ignoreMissing } from './static-files.ts';

/** Output of `npm run build:docs`. */
const DEFAULT_FOLDER = fileURLToPath(new URL('../../../site/dist', import.meta.url));

/** The built documentation. Pages are read for each request, so that a new build shows at once. */
export class DocsFiles {
  readonly #folder: string;
  readonly #assets: StaticFiles;

  constructor(folder = DEFAULT_FOLDER) {
    this.#folder = folder;
    this.#assets = new StaticFiles(join(folder, 'assets'));
  }

  /** The page of a path below /docs/; undefined if there is none. */
  async page(path: string): Promise<string | undefined> {
    if (path === '') return this.#read('pages', `${HOME.name}.html`);
    if (!isPageName(path) || path.endsWith('README')) return undefined;
    return (
      (await this.#read('pages', `${path}.html`)) ??
      (await this.#read('pages', path, 'README.html'))
    );
  }

  /** The Markdown source of a page. */
  async source(name: string): Promise<string | undefined> {
    return isPageName(name) ? this.#read('pages', `${name}.md`) : undefined;
  }

  async notFound(): Promise<string | undefined> {
    return this.#read('not-found.html');
  }

  asset(name: string): Promise<StaticFile | undefined> {
    return this.#assets.file(name);
  }

  #read(...path: string[]): Promise<string | undefined> {
    return ignoreMissing(readFile(join(this.#folder, ...path), 'utf8'));
  }
}

/** Without dots, so that no path leaves the folder. */
const isPageName = (path: string) => path.split('/').every((part) => /^[\w-]+$/.test(part));
