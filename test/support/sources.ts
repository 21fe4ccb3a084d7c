import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');

/** File contents by path; paths use `/`. */
export type Sources = ReadonlyMap<string, string>;

/** Files written by tools. */
const MADE = ['**/node_modules/**', '**/dist/**', '**/package-lock.json'];

/** The ending of pictures, which have no text. */
const PICTURE = '.webp';

/** The files of the repository that match the patterns, by path relative to its root. */
export function readSources(...patterns: string[]): Sources {
  return read(globSync(patterns, { cwd: ROOT, exclude: MADE }));
}

/** Paths of all files that are committed or could be: everything that .gitignore does not exclude. */
export function listRepository(): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const git = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  if (git.status === 0) return git.stdout.split('\0').filter((path) => path !== '');
  // Git is not installed, or this is not a checkout.
  const ignored = readFileSync(join(ROOT, '.gitignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (line.includes('/') && !line.endsWith('/') ? line : `**/${line}`))
    .flatMap((pattern) => (pattern.endsWith('/') ? [pattern.slice(0, -1)] : [pattern]));
  return globSync('**/*', { cwd: ROOT, exclude: ['.git', ...ignored], withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)));
}

export function readRepository(): Sources {
  return read(listRepository());
}

function read(paths: readonly string[]): Sources {
  const files = paths
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.endsWith(PICTURE))
    // Git still lists files whose removal is not committed.
    .filter((path) => statSync(join(ROOT, path), { throwIfNoEntry: false })?.isFile())
    .toSorted();
  return new Map(files.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
}

export type TokenKind = 'code' | 'comment' | 'string' | 'template' | 'pattern';

/** A token of TypeScript, as coarse as the checks of the source need. */
export interface Token {
  kind: TokenKind;
  text: string;
}

const STRING = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/y;
const COMMENT = /\/\/[^\n]*|\/\*[^]*?\*\//y;
const PATTERN = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
/** The code before a slash that starts a regular expression; after a value, a slash means division. */
const BEFORE_PATTERN = /(?:^|[(,=:[!&|?{};+<>~^%*-]|\b(?:return|typeof|case|of|in|await))\s*$/;

/** All tokens of a source in order; concatenated, they are the source. */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  let code = '';
  const add = (kind: TokenKind, text: string) => {
    if (code !== '') tokens.push({ kind: 'code', text: code });
    code = '';
    tokens.push({ kind, text });
    return text.length;
  };
  for (let at = 0; at < source.length;) {
    const char = source[at] ?? '';
    const comment = char === '/' ? matchAt(COMMENT, source, at) : undefined;
    if (comment) {
      at += add('comment', comment);
      continue;
    }
    const beginsPattern =
      char === '/' && BEFORE_PATTERN.test(code === '' ? lastCode(tokens) : code);
    const pattern = beginsPattern ? matchAt(PATTERN, source, at) : undefined;
    const string = char === "'" || char === '"' ? matchAt(STRING, source, at) : undefined;
    if (pattern) at += add('pattern', pattern);
    else if (string) at += add('string', string);
    else if (char === '`') at += add('template', source.slice(at, endOfTemplate(source, at)));
    else {
      code += char;
      at++;
    }
  }
  if (code !== '') tokens.push({ kind: 'code', text: code });
  return tokens;
}

/** The source without comments. */
export function withoutComments(source: string): string {
  return tokensOf(source)
    .map(({ kind, text }) => (kind === 'comment' ? ' ' : text))
    .join('');
}

function matchAt(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

/** The last token before a comment, since comments do not affect what follows. */
function lastCode(tokens: readonly Token[]): string {
  return tokens.findLast(({ kind }) => kind !== 'comment')?.text ?? '';
}

/** The index after the template literal that starts at `start`, including nested ones. */
function endOfTemplate(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === '`') return at + 1;
    else if (source.startsWith('${', at)) at = endOfSubstitution(source, at + 2) - 1;
  }
  return source.length;
}

function endOfSubstitution(source: string, start: number): number {
  let depth = 1;
  for (let at = start; at < source.length; at++) {
    const char = source[at];
    if (char === '{') depth++;
    else if (char === '}' && --depth === 0) return at + 1;
    else if (char === '`') at = endOfTemplate(source, at) - 1;
    else if (char === "'" || char === '"') at += (matchAt(STRING, source, at)?.length ?? 1) - 1;
  }
  return source.length;
}
