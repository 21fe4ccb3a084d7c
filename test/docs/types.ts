import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { ROOT, readSources } from '../support/sources.ts';
import { TSC } from '../support/tools.ts';
import type { Snippet } from './snippets.ts';

/* Type checks the documentation's programs against the client. */

/** Names that a page uses without declaring them. */
const GIVEN: Readonly<Record<string, string>> = {
  'sdk/README.md': `
    import { type Outgoing, button, remove, update, verifyWebhook } from '@switchboard/sdk';
    declare const many: Outgoing[];
    declare const message: Outgoing;
    declare const request: Request;
    declare const secret: string;
    declare const signal: AbortSignal;
  `,
};

const OPTIONS = {
  target: 'esnext',
  module: 'nodenext',
  lib: ['esnext'],
  types: ['node'],
  strict: true,
  allowJs: true,
  checkJs: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  paths: { '@switchboard/sdk': [join(ROOT, 'sdk/src/index.ts')] },
};

/** One line per error. Blocks of a page follow each other; parts of examples are checked there. */
export function typeFaults(snippets: readonly Snippet[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-snippets-'));
  try {
    const whole = snippets.filter(({ notes }) => notes['part'] === undefined);
    const pages = Map.groupBy(whole, ({ page, language, notes }) =>
      // A file is a separate program, and so is every JavaScript block.
      language === 'ts' ? `${page}.ts` : `${page}.${notes['file'] ?? 'own.mjs'}`,
    );
    for (const [path, own] of pages) {
      const given = GIVEN[own[0]?.page ?? ''] ?? '';
      write(join(folder, path), `${given}${own.map(({ text }) => text).join('\n')}\nexport {};\n`);
    }
    for (const path of readSources('examples/**/*.mjs').keys()) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      cpSync(join(ROOT, path), join(folder, path));
    }
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const config = { compilerOptions: OPTIONS, include: ['**/*'], exclude: ['node_modules'] };
    write(join(folder, 'tsconfig.json'), JSON.stringify(config));
    write(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    const args = [TSC, '-p', folder];
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    return stdout.split('\n').filter((line) => line !== '');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
