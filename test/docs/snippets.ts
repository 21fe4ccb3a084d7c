import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT, readSources } from '../support/sources.ts';

/* The code blocks of the documentation. */

export interface Snippet {
  page: string;
  line: number;
  language: string;
  /** Further words after the language, such as `file=bot.mjs`. */
  notes: Readonly<Record<string, string>>;
  text: string;
}

const FENCE = /^(?<indent> *)```(?<info>[^\n`]*)\n(?<text>.*?)^\k<indent>```$/gms;

export function snippetsOf(page: string): Snippet[] {
  const source = readFileSync(join(ROOT, page), 'utf8');
  return [...source.matchAll(FENCE)].map(({ groups = {}, index }) => {
    const { indent = '', info = '', text = '' } = groups;
    const [language = '', ...notes] = info.trim().split(' ');
    return {
      page,
      line: source.slice(0, index).split('\n').length,
      language,
      notes: Object.fromEntries(notes.map((note) => note.split('=', 2) as [string, string])),
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    };
  });
}

/** Every hand-written page; channel pages are generated from setup/. */
export function pagesWithSnippets(): string[] {
  const sources = readSources(
    '*.md',
    'docs/**/*.md',
    'sdk/README.md',
    'clients/python/README.md',
    'examples/**/*.md',
  );
  return [...sources.keys()].filter((path) => !/^docs\/channels\/[\w-]+\.md$/.test(path));
}

export const nameOf = ({ page, line }: Snippet) => `${page}:${line}`;
