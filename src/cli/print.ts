import { columnsOf, padColumns } from '../lib/text/terminal-width.ts';

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const OUTPUTS = [process.stdout, process.stderr];

/** Ends the program without an error when its reader, such as `head`, has read enough. */
export function endWithReader(): void {
  for (const output of OUTPUTS) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit();
    });
  }
}

/** A service continues without a reader. */
export function outliveReader(): void {
  for (const output of OUTPUTS) output.removeAllListeners('error').on('error', () => {});
}

/** Prints aligned columns under headings, or JSON for scripts. */
export function printTable(rows: readonly Record<string, string | number>[], json: boolean): void {
  if (json) return print(JSON.stringify(rows, null, 2));
  const [first] = rows;
  if (!first) return print('None.');
  const names = Object.keys(first);
  const cells = [names, ...rows.map((row) => names.map((name) => visible(String(row[name]))))];
  const widths = names.map((_, i) => Math.max(...cells.map((row) => columnsOf(row[i] ?? ''))));
  for (const row of cells) {
    print(
      row
        .map((cell, i) => padColumns(cell, widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

/** Replaces control characters, so that received text cannot control the terminal. */
function visible(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '\uFFFD');
}

/** The first line of standard input; on a terminal, prompts without echo. */
export async function readSecret(prompt: string): Promise<string> {
  const { createInterface } = await import('node:readline');
  const { Writable } = await import('node:stream');
  const terminal = process.stdin.isTTY;
  if (terminal) process.stderr.write(`${prompt}: `);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
    process.stdin.unref?.();
    if (terminal) process.stderr.write('\n');
  }
}
