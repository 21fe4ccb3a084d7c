import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { RETIRED, findChannel } from '../channels/index.ts';
import { CliError, EXIT } from './exit.ts';
import { print } from './print.ts';

const ROOT = new URL('../../', import.meta.url);

/** Reserved words cannot name a variable. */
const RESERVED: ReadonlySet<string> = new Set(
  'await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield'.split(
    ' ',
  ),
);

/** Generates a channel in this checkout. One of its tests fails until the placeholders are replaced. */
export function newChannel(name: string): void {
  if (!name.split('-').every((word) => /^[a-z][a-z0-9]*$/.test(word))) {
    throw new CliError(`channel names are lower case with hyphens: ${name}`, EXIT.usage);
  }
  if (RESERVED.has(name))
    throw new CliError(`${name} is a reserved word of JavaScript`, EXIT.usage);
  if (findChannel(name) || RETIRED.has(name)) {
    throw new CliError(`the channel ${name} already exists`, EXIT.usage);
  }
  const names = namesOf(name);
  const files = {
    [`src/channels/${name}.ts`]: 'channel.ts',
    [`test/emulators/${name}.ts`]: 'emulator.ts',
    [`test/channels/${name}/send.test.ts`]: 'test.ts',
    [`docs/channels/setup/${name}.md`]: 'guide.md',
  };
  if (!existsSync(new URL('test/channels/suite.ts', ROOT))) {
    throw new CliError('not a checkout of the source; clone the repository first', EXIT.usage);
  }
  const existing = Object.keys(files).find((path) => existsSync(new URL(path, ROOT)));
  if (existing) throw new CliError(`${existing} already exists`, EXIT.usage);
  for (const [path, template] of Object.entries(files)) {
    const file = new URL(path, ROOT);
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, fill(template, names));
  }
  addToList(names.name, names.variable);
  addRecipient(name);
  addVendor(names);
  const lines = [
    ...Object.keys(files).map((path) => `wrote ${path}`),
    'added it to src/channels/index.ts, src/channels/index.test.ts and test/channels/vendors.ts',
    '',
    'One of its tests fails until you have replaced the placeholders:',
    `cd ${fileURLToPath(ROOT)} && npm run format && npm test -- channels/${name}/`,
    'CONTRIBUTING.md lists the next steps.',
  ];
  for (const line of lines) print(line);
}

/** The name in its spellings. */
interface Names {
  /** `acme-chat` */
  name: string;
  /** `acmeChat` */
  variable: string;
  /** `AcmeChat` */
  type: string;
  /** `Acme Chat` */
  title: string;
}

function namesOf(name: string): Names {
  const words = name.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const type = words.join('');
  const variable = type.charAt(0).toLowerCase() + type.slice(1);
  return { name, variable, type, title: words.join(' ') };
}

function fill(template: string, names: Names): string {
  const text = readFileSync(new URL(`channel-template/${template}.txt`, import.meta.url), 'utf8');
  return Object.entries(names).reduce(
    (rest, [key, value]) => rest.replaceAll(`{{${key}}}`, String(value)),
    text,
  );
}

/** Keeps imports and names in alphabetical order. */
function addToList(name: string, variable: string): void {
  const file = new URL('src/channels/index.ts', ROOT);
  const lines = readFileSync(file, 'utf8').split('\n');
  const insert = (line: string, isFollowing: (other: string) => boolean) => {
    const at = lines.findIndex(isFollowing);
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

/** The tests over all channels open its emulator. */
function addVendor({ name, type }: Names): void {
  const file = new URL('test/channels/vendors.ts', ROOT);
  const text = readFileSync(file, 'utf8');
  const own = `import { TOKEN as ${type.toUpperCase()}, open${type} } from '../emulators/${name}.ts';\n`;
  const start = 'export const VENDORS: readonly Vendor[] = [\n';
  const entry = `  vendor('${name}', {
    open: open${type},
    credentials: () => ({ token: ${type.toUpperCase()} }),
    to: '12345',
  }),
`;
  const firstImport = 'import { LOGIN';
  writeFileSync(file, text.replace(firstImport, own + firstImport).replace(start, start + entry));
}
