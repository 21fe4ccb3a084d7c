import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { RETIRED, findChannel } from '../channels/index.ts';
import { channelFile, emulatorFile, guideFile, namesOf, testFile } from './channel-template.ts';
import { CliError, EXIT } from './exit.ts';
import { print } from './print.ts';

const ROOT = new URL('../../', import.meta.url);

/** Writes the skeleton of a channel into this checkout; it passes its tests as it is. */
export function newChannel(name: string): void {
  if (!/^[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$/.test(name)) {
    throw new CliError(`a channel is named in lower case, with hyphens: ${name}`, EXIT.usage);
  }
  if (findChannel(name) || RETIRED.has(name)) {
    throw new CliError(`there is a channel ${name} already`, EXIT.usage);
  }
  const names = namesOf(name);
  const files = {
    [`src/channels/${name}.ts`]: channelFile(names),
    [`test/emulators/${name}.ts`]: emulatorFile(names),
    [`test/channels/${name}.test.ts`]: testFile(names),
    [`docs/channels/setup/${name}.md`]: guideFile(names),
  };
  if (!existsSync(new URL('test/channels/suite.ts', ROOT))) {
    throw new CliError('channels are written in a checkout of the source', EXIT.usage);
  }
  const there = Object.keys(files).find((path) => existsSync(new URL(path, ROOT)));
  if (there) throw new CliError(`${there} is there already`, EXIT.usage);
  for (const [path, text] of Object.entries(files)) writeFileSync(new URL(path, ROOT), text);
  addToList(names.name, names.variable);
  addRecipient(name);
  const lines = [
    ...Object.keys(files).map((path) => `wrote ${path}`),
    'added it to src/channels/index.ts and to the recipients in src/channels/index.test.ts',
    '',
    `It passes its tests as it is: cd ${fileURLToPath(ROOT)} && npm run format && npm test -- channels/${name}`,
    'CONTRIBUTING.md shows what to do next, from the facts of the vendor to the page about it.',
  ];
  for (const line of lines) print(line);
}

/** Imports and names are in alphabetical order there. */
function addToList(name: string, variable: string): void {
  const file = new URL('src/channels/index.ts', ROOT);
  const lines = readFileSync(file, 'utf8').split('\n');
  const insert = (line: string, isPlace: (other: string) => boolean) => {
    const at = lines.findIndex(isPlace);
    lines.splice(at, 0, line);
  };
  const own = `import { ${variable} } from './${name}.ts';`;
  insert(own, (line) => (importedBy(line) ?? (line.startsWith('import') ? '' : '~')) > name);
  const start = lines.findIndex((line) => line.startsWith('export const CHANNELS'));
  const isLater = (line: string, i: number) =>
    i > start && (line.startsWith(']') || line.trim().replace(',', '') > variable);
  lines.splice(lines.findIndex(isLater), 0, `  ${variable},`);
  writeFileSync(file, lines.join('\n'));
}

function importedBy(line: string): string | undefined {
  return /^import .* from '\.\/(.*)\.ts';$/.exec(line)?.[1];
}

function addRecipient(name: string): void {
  const file = new URL('src/channels/index.test.ts', ROOT);
  const start = 'const RECIPIENTS: Record<string, { good: string[]; bad: string[] }> = {\n';
  const line = `  '${name}': { good: ['12345'], bad: ['', 'room', '1.5'] },\n`;
  writeFileSync(file, readFileSync(file, 'utf8').replace(start, start + line));
}
