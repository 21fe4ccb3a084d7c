/** A line on standard output. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Rows under headings, each column as wide as it needs to be; or, for scripts, JSON. */
export function printTable(rows: readonly Record<string, string | number>[], json: boolean): void {
  if (json) return print(JSON.stringify(rows, null, 2));
  const [first] = rows;
  if (!first) return print('None.');
  const names = Object.keys(first);
  const cells = [names, ...rows.map((row) => names.map((name) => String(row[name])))];
  const widths = names.map((_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)));
  for (const row of cells) {
    print(
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

/** The first line of standard input, asked for when a person sits there. */
export async function readSecret(prompt: string): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write(`${prompt}: `);
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin, terminal: false });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
    process.stdin.unref?.();
  }
}
