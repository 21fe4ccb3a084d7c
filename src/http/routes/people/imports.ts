import { groupDigits } from '../../../lib/text/grouped-digits.ts';
import { AFTER_ALL_IDS, BEFORE_ALL_IDS, type Id, parseCursor } from '../../../model/id.ts';
import type { ContactImport } from '../../../model/people/contact-import.ts';
import { Problem } from '../../../model/problem.ts';
import { timestamp } from '../../../model/timestamp.ts';
import { integrationsOf } from '../../new-contact.ts';
import { IMPORT_TYPES, formatOf, textsOf } from '../../object-lines.ts';
import { ContactImportSchema, ImportErrorSchema } from '../../openapi/import-schemas.ts';
import { listOf } from '../../openapi/schemas.ts';
import { PAGING, listAnswer, pageRequest } from '../../paging.ts';
import { MAX_ROWS, receiveImport } from '../../received-import.ts';
import {
  type Route,
  applicationRoute,
  noContent,
  notFound,
  ok,
  pathId,
} from '../../server/route.ts';
import type { Services } from '../../services.ts';
import { dated } from '../../views/views.ts';

const MAX_BYTES = 256 * 1024 * 1024;
/** Unfinished imports per application. */
const MAX_OPEN = 10;

const tag = 'Contacts';
const path = '/1/contact-imports';
const gone = () => notFound('the import');

/** Files of contacts. */
export function contactImportRoutes({ store, clock, jobs, audit }: Services): Route[] {
  async function checkOpen(applicationId: Id, max: number): Promise<void> {
    if ((await store.contactImports.countOpen(applicationId)) <= max) return;
    throw new Problem('too_many_imports', `${MAX_OPEN} imports are not done yet`);
  }

  return [
    applicationRoute({
      method: 'POST',
      path,
      operationId: 'importContacts',
      tag,
      summary: 'Import contacts',
      description: `A file of at most 256 MiB and ${groupDigits(MAX_ROWS)} rows: \`text/csv\` with a header, or \`application/x-ndjson\` with one contact per line, as in \`POST /1/contacts\`. Columns of a CSV file are \`external_id\`, \`name\`, \`locale\`, \`timezone\`, \`fields.NAME\`, and the names of channels for addresses, such as \`sms\` or \`email\`. A row updates the contact with its external id, or with one of its addresses; otherwise it creates one. Returns an import that runs in the background and survives restarts. Rows with errors are skipped and reported. Importing a file again changes nothing. The whole file must arrive within \`SWITCHBOARD_REQUEST_TIMEOUT\`; over a slow connection, send a large file in parts.`,
      raw: true,
      streamed: true,
      rawTypes: IMPORT_TYPES,
      example:
        'external_id,name,sms,email,fields.plan\ncustomer-4711,Ada Lovelace,+447911123456,ada@example.com,gold\n',
      bodyLimit: MAX_BYTES,
      success: {
        status: 202,
        description: 'The import has started.',
        schema: ContactImportSchema,
        headers: ['Location'],
      },
      problems: ['unsupported_media_type', 'invalid_fields', 'too_many_imports'],
      async handle(call) {
        const { caller, headers } = call;
        const { applicationId } = caller;
        const format = formatOf(headers['content-type']);
        // A repeated request gets the first answer, even when the limit is reached.
        if (headers['idempotency-key'] === undefined) await checkOpen(applicationId, MAX_OPEN - 1);
        const integrations = await integrationsOf(store, applicationId);
        const now = clock.now();
        const key = { applicationId, id: await store.nextId() };
        await store.contactImports.insert(key, now);
        try {
          const file = { texts: textsOf(call.stream()), format };
          const received = await receiveImport(store, key, file, { integrations, now });
          return await call.onceRead(async () => {
            await checkOpen(applicationId, MAX_OPEN);
            const started: ContactImport = {
              ...key,
              ...received,
              state: 'running',
              created: 0,
              updated: 0,
              unchanged: 0,
              nextBlock: 0,
              node: null,
              createdAt: now,
              updatedAt: now,
              finishedAt: null,
            };
            const location = `${path}/${key.id}`;
            const answer = { status: 202, body: importView(started), headers: { location } };
            const about = { type: 'import', id: key.id, applicationId } as const;
            const entry = await audit.byPerson(caller, 'contact.imported', about);
            await store.contactImports.start(started, call.once(answer), entry);
            jobs.wake();
            return answer;
          });
        } finally {
          // Does nothing if the import was started.
          await store.contactImports.discard(key);
        }
      },
    }),
    applicationRoute({
      method: 'GET',
      path,
      operationId: 'listContactImports',
      tag,
      summary: 'List imports of contacts',
      description: 'Newest first. Finished imports are kept as long as messages.',
      query: PAGING,
      evenDisabled: true,
      success: {
        status: 200,
        description: 'A page of imports.',
        schema: listOf(ContactImportSchema),
      },
      async handle(call) {
        const { applicationId } = call.caller;
        const page = await store.contactImports.list(applicationId, pageRequest(call.query));
        return listAnswer(call, path, page, (one) => JSON.stringify(importView(one)));
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/contact-imports/:id',
      operationId: 'getContactImport',
      tag,
      summary: 'Get an import of contacts',
      description: 'With its progress.',
      evenDisabled: true,
      success: { status: 200, description: 'The import.', schema: ContactImportSchema },
      problems: ['not_found'],
      async handle(call) {
        const contactImport = await store.contactImports.get(
          call.caller.applicationId,
          pathId(call),
        );
        if (!contactImport) throw gone();
        return ok(importView(contactImport));
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/contact-imports/:id/errors',
      operationId: 'listContactImportErrors',
      tag,
      summary: 'List the errors of an import of contacts',
      description: 'In the order of the file.',
      query: [
        ...PAGING.filter(({ name }) => name === 'limit'),
        {
          name: 'starting_after',
          description: 'A line number: list the errors after it.',
          schema: { type: 'integer', format: 'int64' },
        },
      ],
      evenDisabled: true,
      success: { status: 200, description: 'A page of errors.', schema: listOf(ImportErrorSchema) },
      problems: ['not_found'],
      async handle(call) {
        const { applicationId } = call.caller;
        const contactImport = await store.contactImports.get(applicationId, pathId(call));
        if (!contactImport) throw gone();
        const { limit } = pageRequest(call.query);
        const { starting_after: cursor = '' } = call.query;
        const after = cursor === '' ? BEFORE_ALL_IDS : (parseCursor(cursor) ?? AFTER_ALL_IDS);
        const errors = await store.contactImports.errors(contactImport, after, limit + 1);
        const items = errors
          .slice(0, limit)
          .map(({ line, detail }) => ({ id: line, line, detail }));
        const page = { items, older: errors.length > limit, newer: false };
        return listAnswer(call, `${path}/${contactImport.id}/errors`, page, ({ line, detail }) =>
          JSON.stringify({ line, detail }),
        );
      },
    }),
    applicationRoute({
      method: 'DELETE',
      path: '/1/contact-imports/:id',
      operationId: 'cancelContactImport',
      tag,
      summary: 'Cancel an import of contacts',
      description: 'Imported contacts stay. Canceling a finished import changes nothing.',
      evenDisabled: true,
      success: { status: 204, description: 'Canceled.' },
      problems: ['not_found'],
      async handle(call) {
        const { applicationId } = call.caller;
        const contactImport = await store.contactImports.get(applicationId, pathId(call));
        if (!contactImport) throw gone();
        const about = { type: 'import', id: contactImport.id, applicationId } as const;
        const entry = await audit.byPerson(call.caller, 'contact.import_canceled', about);
        await store.contactImports.cancel(contactImport, clock.now(), entry);
        return noContent;
      },
    }),
  ];
}

const importView = (one: ContactImport) => ({
  ...dated(one),
  application_id: one.applicationId,
  state: one.state,
  total: one.total,
  done: one.created + one.updated + one.unchanged + one.failed,
  created: one.created,
  updated: one.updated,
  unchanged: one.unchanged,
  failed: one.failed,
  finished_at: one.finishedAt === null ? null : timestamp(one.finishedAt),
});
