import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { ROOT } from './sources.ts';

/** A fresh installation of the project in a temporary folder, with nothing built yet. */
export interface Checkout extends Disposable {
  folder: string;
  write(path: string, text: string): void;
}

/** Read-only entries, which need not be copied. */
const LINKED = [
  'LICENSE',
  'bin',
  'console',
  'docs',
  'node_modules',
  'package.json',
  'src',
  'tsconfig.json',
  'webchat',
];
const COPIED = ['clients', 'examples', 'sdk'];

export function checkOut(): Checkout {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-checkout-'));
  for (const name of LINKED) symlinkSync(join(ROOT, name), join(folder, name));
  for (const name of COPIED) {
    cpSync(join(ROOT, name), join(folder, name), {
      recursive: true,
      filter: (path) => !/\/(dist|node_modules)$/.test(path),
    });
  }
  return {
    folder,
    write(path, text) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
