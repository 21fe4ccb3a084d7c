import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { ROOT } from '../support/sources.ts';

/* The Dockerfile syntax that ours uses. */

export interface Instruction {
  name: string;
  text: string;
}

export interface Stage {
  name: string;
  instructions: readonly Instruction[];
}

export const DOCKERFILE = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');

export function readStages(text: string): Stage[] {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: { name: string; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`no instruction: ${line}`);
    if (name === 'FROM') stages.push({ name: rest.split(' AS ')[1] ?? '', instructions: [] });
    else stages.at(-1)?.instructions.push({ name, text: rest });
  }
  return stages;
}

/** The arguments of all instructions of that name. */
export function argumentsOf({ instructions }: Stage, name: string): string[] {
  return instructions.filter((one) => one.name === name).map(({ text }) => text);
}

/** The environment that a stage sets. */
export function environmentOf(stage: Stage): Record<string, string> {
  return Object.fromEntries(
    argumentsOf(stage, 'ENV').map((text) => {
      const at = text.indexOf('=');
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

const IGNORE = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** Whether a path is excluded from the image: the last pattern that matches it, or one of its folders, decides. */
export function isIgnored(path: string): boolean {
  let ignored = false;
  for (const line of IGNORE) {
    const pattern = line.replace('!', '');
    if (fits(path, pattern)) ignored = !line.startsWith('!');
  }
  return ignored;
}

function fits(path: string, pattern: string): boolean {
  const parts = path.split('/');
  if (pattern === '*') return true;
  if (pattern.startsWith('**/*')) return basename(path).endsWith(pattern.slice('**/*'.length));
  if (pattern.startsWith('**/')) return parts.includes(pattern.slice('**/'.length));
  return path === pattern || path.startsWith(`${pattern}/`);
}
