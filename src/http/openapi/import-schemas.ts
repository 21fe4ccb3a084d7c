import Type from 'typebox';

import { groupDigits } from '../../lib/text/grouped-digits.ts';
import { IMPORT_STATES } from '../../model/people/contact-import.ts';
import { MAX_IMPORT_ERRORS } from '../../store/people/imports.ts';
import { Id, Timestamp, datedFields, nullable } from './schemas.ts';

/* Imports of contacts. */

export const ContactImportSchema = Type.Object(
  {
    ...datedFields,
    application_id: Id,
    state: Type.Enum(IMPORT_STATES.filter((state) => state !== 'receiving')),
    total: Type.Integer({ description: 'Rows of the file.' }),
    done: Type.Integer({ description: 'Rows processed so far, including failed ones.' }),
    created: Type.Integer({ description: 'Rows that created a contact.' }),
    updated: Type.Integer({ description: 'Rows that changed a contact.' }),
    unchanged: Type.Integer({ description: 'Rows that changed nothing.' }),
    failed: Type.Integer({
      description: `Skipped rows. \`GET /1/contact-imports/{id}/errors\` lists the first ${groupDigits(MAX_IMPORT_ERRORS)}.`,
    }),
    finished_at: nullable(Timestamp),
  },
  { title: 'ContactImport' },
);

export const ImportErrorSchema = Type.Object(
  {
    line: Type.Integer({ description: 'The line of the file, from 1.' }),
    detail: Type.String({ description: 'Why the row was skipped.' }),
  },
  { title: 'ContactImportError' },
);
