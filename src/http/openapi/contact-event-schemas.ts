import Type from 'typebox';

import { MERGE_EVIDENCE } from '../../model/people/merge.ts';
import { Id } from './schemas.ts';

/* Events about contacts of the application. */

const ofContact = { application_id: Id, contact_id: Id };

const ContactReportSchema = Type.Object(ofContact, { title: 'ContactReport' });

export const MergeEvidence = Type.Enum([...MERGE_EVIDENCE], {
  description:
    'Why they were merged: a request, or a vendor that reported their addresses as those of one person.',
});

const ContactMergedSchema = Type.Object(
  { ...ofContact, other_contact_id: Id, evidence: MergeEvidence },
  {
    title: 'ContactMerged',
    description: '`other_contact_id` was merged into `contact_id`, which now has its addresses.',
  },
);

const ContactPairSchema = Type.Object(
  { ...ofContact, other_contact_id: Id },
  { title: 'ContactPair' },
);

export const CONTACT_EVENTS = {
  'contact.created': ContactReportSchema,
  'contact.erased': ContactReportSchema,
  'contact.merged': ContactMergedSchema,
  'contact.unmerged': ContactPairSchema,
  'contact.conflict': ContactPairSchema,
} as const;
