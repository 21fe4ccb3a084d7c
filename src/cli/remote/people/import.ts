import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stdin } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';

import {
  type ContactImport,
  type ContactImportError,
  type Switchboard,
  SwitchboardError,
} from '../../../../sdk/src/index.ts';
import { CliError, EXIT } from '../../exit.ts';
import { sizeOf, utf8Decoder } from '../../files.ts';
import { print } from '../../print.ts';
import { Progress } from '../../progress.ts';
import { type RemoteOptions, connectApplication } from '../connection.ts';
import { formatOf } from '../consents.ts';
import { printJson, visible } from '../format.ts';
import { type FilePart, partsOf } from './file-parts.ts';

export interface ImportOptions extends RemoteOptions {
  format?: string;
  resume?: string;
}

const MAX_POLL_MS = 1_000;
/** Errors in the output as JSON; without `--json`, all are printed. */
const MAX_JSON_ERRORS = 1_000;

const COUNTS = ['total', 'created', 'updated', 'unchanged', 'failed'] as const;

type Counts = Record<(typeof COUNTS)[number], number>;

/** Imports a file in parts, one after the other. Exits with an error if rows were skipped. */
export async function importContacts(file: string, options: ImportOptions): Promise<void> {
  const { json = false, resume } = options;
  const format = formatOf(options.format, file);
  if (resume !== undefined && !/^[0-9a-f]{16}$/.test(resume)) {
    throw new CliError('--resume needs the id that the interrupted import printed', EXIT.usage);
  }
  const source = await openFile(file);
  const client = await connectApplication(options);
  const run = resume ?? randomBytes(8).toString('hex');
  if (!json) {
    process.stderr.write(`Import ${run}. If it is interrupted, repeat it with --resume ${run}\n`);
  }
  const counts: Counts = { total: 0, created: 0, updated: 0, unchanged: 0, failed: 0 };
  const errors: ContactImportError[] = [];
  const progress = new Progress(json);
  let number = 0;
  try {
    for await (const part of partsOf(source.pieces, format)) {
      const key = keyOf(run, number++, part);
      const result = await importPart(client, part, format, key, (rows) =>
        progress.show(`${counts.total + rows} rows`, source.read(), source.size),
      );
      for (const name of COUNTS) counts[name] += result[name];
      progress.end();
      if (result.failed === 0) continue;
      for await (const { line, detail } of client.contacts.importErrors(result.id)) {
        const error = { line: part.lineOf(line), detail };
        if (!json) print(visible(`Line ${error.line}: ${error.detail}`));
        else if (errors.length < MAX_JSON_ERRORS) errors.push(error);
      }
    }
  } catch (error) {
    progress.end();
    throw explained(error, run);
  }
  if (json) printJson({ ...counts, errors });
  else {
    const { created, updated, unchanged, failed } = counts;
    print(`${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} skipped.`);
  }
  if (counts.failed > 0) throw new CliError('some rows were skipped', EXIT.failed);
}

/** The text of the file in pieces, and how much was read of it. */
async function openFile(file: string) {
  const isInput = file === '-';
  const size = isInput ? 0 : await sizeOf(file);
  const stream: AsyncIterable<Buffer> = isInput ? stdin : createReadStream(file);
  let read = 0;
  async function* pieces(): AsyncGenerator<string> {
    const decode = utf8Decoder();
    for await (const bytes of stream) {
      read += bytes.length;
      yield decode(bytes);
    }
    yield decode();
  }
  return { size, read: () => read, pieces: pieces() };
}

/** The same part of a resumed import has the same key, so the server imports it once. */
const keyOf = (run: string, number: number, { text }: FilePart) =>
  `${run}-${number}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;

async function importPart(
  client: Switchboard,
  { text }: FilePart,
  format: 'csv' | 'ndjson',
  idempotencyKey: string,
  report: (rows: number) => void,
): Promise<ContactImport> {
  let running = await client.contacts.importFile(text, format, { idempotencyKey });
  for (let wait = 50; ; wait = Math.min(2 * wait, MAX_POLL_MS)) {
    running = await client.contacts.getImport(running.id);
    report(running.done);
    if (running.finished_at !== null) break;
    await pause(wait);
  }
  if (running.state === 'canceled') throw new CliError('the import was canceled');
  return running;
}

/** A refused file stays refused; after anything else the import can be continued. */
function explained(error: unknown, run: string): unknown {
  if (error instanceof CliError) return error;
  const isRefused = error instanceof SwitchboardError && error.status >= 400 && error.status < 500;
  if (!isRefused) process.stderr.write(`To continue, repeat the command with --resume ${run}\n`);
  return error;
}
