import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';

import { build } from 'vite';

import type { Assets } from './layout.ts';

/* The style sheet, the font and the scripts, bundled. Their names change with their content. */

const FONT = 'inter-latin-wght-normal.woff2';
const ENTRIES = { style: 'style.css', theme: 'browser/theme.ts', script: 'browser/main.ts' };

interface BuiltAssets {
  files: ReadonlyMap<string, string | Uint8Array>;
  addresses: Omit<Assets, 'searchIndex'>;
}

export async function buildAssets(): Promise<BuiltAssets> {
  const result = await build({
    configFile: false,
    root: fileURLToPath(new URL('.', import.meta.url)),
    logLevel: 'warn',
    base: '/docs/',
    build: {
      write: false,
      // Browsers that support light-dark(), which every color uses.
      target: ['chrome123', 'firefox128', 'safari17.5'],
      // The content security policy forbids data: URLs.
      assetsInlineLimit: 0,
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: Object.fromEntries(
          Object.entries(ENTRIES).map(([name, file]) => [
            name,
            fileURLToPath(new URL(file, import.meta.url)),
          ]),
        ),
      },
    },
  });
  if (Array.isArray(result) || !('output' in result)) throw new Error('vite watches');
  const files = new Map<string, string | Uint8Array>();
  const addresses = { style: '', theme: '', script: '', font: '' };
  for (const file of result.output) {
    const content = file.type === 'chunk' ? file.code : file.source;
    files.set(file.fileName.replace(/^assets\//, ''), content);
    const name = file.type === 'chunk' ? file.name : file.names[0]?.replace(/\.css$/, '');
    if (name === FONT) addresses.font = `/docs/${file.fileName}`;
    if (name === 'style' || name === 'theme' || name === 'script') {
      addresses[name] = `/docs/${file.fileName}`;
    }
  }
  const missing = Object.entries(addresses).filter(([, address]) => address === '');
  if (missing.length > 0) throw new Error(`vite did not write ${missing.join(', ')}`);
  return { files, addresses };
}

/** File name that changes with the content. */
export function hashedName(name: string, extension: string, content: string): string {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8);
  return `${name}-${hash}.${extension}`;
}
