import { Readable } from 'node:stream';

import Type from 'typebox';

import { chunksOf } from '../../lib/runtime/chunks.ts';
import { yieldingBetween } from '../../lib/threads/yielding.ts';
import type { Id } from '../../model/id.ts';
import { Problem } from '../../model/problem.ts';
import type { Consent } from '../../model/sending/consent.ts';
import type { Store } from '../../store/store.ts';
import { type ReadLine, readLines, writeHeader, writeLine } from '../consent-lines.ts';
import {
  FORMATS,
  type Format,
  IMPORT_TYPES,
  TYPES,
  formatOf,
  limited,
  textsOf,
} from '../object-lines.ts';
import { type Route, applicationRoute, ok } from '../server/route.ts';
import type { Services } from '../services.ts';

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_LINES = 50_000;
const MAX_ERRORS = 100;
/** Consents per transaction, and per statement of an export. */
const BATCH_SIZE = 500;

const ImportSchema = Type.Object(
  {
    imported: Type.Integer({ description: 'Stored lines.' }),
    changed: Type.Integer({ description: 'Of these, lines that changed a consent.' }),
    failed: Type.Integer({ description: 'Skipped lines.' }),
    errors: Type.Array(Type.Object({ line: Type.Integer(), detail: Type.String() }), {
      description: `Why lines were skipped; at most ${MAX_ERRORS}.`,
    }),
  },
  { title: 'ConsentImport' },
);

const tag = 'Consents';

/** Many consents at once, as a file. */
export function consentTransferRoutes({ store, clock, feed }: Services): Route[] {
  return [
    applicationRoute({
      method: 'POST',
      path: '/1/consents/import',
      operationId: 'importConsents',
      tag,
      summary: 'Import consents',
      description:
        'A file of at most 8 MiB and 50,000 lines: `text/csv` with a header (`family,address,scope,state,evidence`), or `application/x-ndjson` with one object per line. Lines with errors are skipped and reported; the others are stored in order. Importing a file again changes nothing.',
      raw: true,
      rawTypes: IMPORT_TYPES,
      example:
        'family,address,scope,state,evidence\nsms,+15558675310,all,revoked,letter of 3 May\n',
      bodyLimit: MAX_BYTES,
      success: { status: 200, description: 'The result.', schema: ImportSchema },
      problems: ['unsupported_media_type', 'invalid_fields'],
      async handle({ caller, bytes, headers }) {
        const { applicationId } = caller;
        const format = formatOf(headers['content-type']);
        const texts = textsOf(yieldingBetween(piecesOf(bytes)));
        const lines = await Array.fromAsync(
          yieldingBetween(limited(readLines(texts, format), MAX_LINES)),
        );
        const result = { imported: 0, changed: 0, failed: 0, errors: [] as LineError[] };
        for (const batch of chunksOf(lines, BATCH_SIZE)) {
          const { stored, changed, errors } = await storeBatch(
            store,
            applicationId,
            batch,
            clock.now(),
          );
          result.imported += stored;
          result.changed += changed;
          result.failed += errors.length;
          result.errors.push(...errors.slice(0, MAX_ERRORS - result.errors.length));
          if (changed > 0) feed.changed(applicationId);
        }
        return ok(result);
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/consents/export',
      operationId: 'exportConsents',
      tag,
      summary: 'Export consents',
      description: 'All consents, sorted by address. The file can be imported.',
      query: [
        {
          name: 'format',
          description: '`csv` by default, or one JSON object per line.',
          schema: { type: 'string', enum: [...FORMATS] },
        },
      ],
      evenDisabled: true,
      success: { status: 200, description: 'The file.', type: '*/*' },
      problems: ['invalid_fields'],
      handle({ caller, query }) {
        const format = FORMATS.find((one) => one === (query['format'] ?? 'csv'));
        if (!format) throw new Problem('invalid_fields', 'format must be csv or ndjson');
        const headers = {
          'content-type': TYPES[format],
          'content-disposition': `attachment; filename="consents.${format}"`,
        };
        const stream = Readable.from(exportLines(store, caller.applicationId, format));
        return { status: 200, stream, headers };
      },
    }),
  ];
}

/** Small enough that no piece keeps other requests waiting, even if it consists of empty lines. */
const PIECE_BYTES = 16 * 1024;

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}

interface LineError {
  line: number;
  detail: string;
}

const BLOCKED = {
  vendor: 'the vendor refuses messages to this address',
  erased: 'the person revoked the consent and was erased',
} as const;

/** Stores a batch in one transaction. */
async function storeBatch(
  store: Store,
  applicationId: Id,
  batch: readonly ReadLine[],
  at: number,
): Promise<{ stored: number; changed: number; errors: LineError[] }> {
  const allowed = batch.flatMap((one) =>
    'change' in one && one.change.state !== 'revoked' ? one.change.key : [],
  );
  const blocked = await store.consents.blocked(applicationId, allowed);
  const errors: LineError[] = [];
  const changes = batch.flatMap((one) => {
    if ('fault' in one) {
      errors.push({ line: one.line, detail: one.fault });
      return [];
    }
    const { line, change } = one;
    const because = change.state === 'revoked' ? undefined : blocked.get(change.key);
    if (because === 'erased' || (because && change.state === 'granted')) {
      errors.push({ line, detail: BLOCKED[because] });
      return [];
    }
    return [{ ...change, applicationId, at }];
  });
  const changed = changes.length === 0 ? [] : await store.consents.change(changes);
  return { stored: changes.length, changed: changed.length, errors };
}

async function* exportLines(
  store: Store,
  applicationId: Id,
  format: Format,
): AsyncGenerator<string> {
  yield writeHeader(format);
  let last: Consent | undefined;
  for (;;) {
    const page = await store.consents.inOrder(applicationId, last, BATCH_SIZE);
    if (page.length > 0) yield page.map((consent) => writeLine(consent, format)).join('');
    last = page.at(-1);
    if (page.length < BATCH_SIZE) return;
  }
}
