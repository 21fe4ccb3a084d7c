import { useQuery } from '@tanstack/react-query';
import { Split } from 'lucide-react';
import { useState } from 'react';

import type { Contact, ContactMerge } from '../api/types.ts';
import { Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { contactName } from './contact-name.ts';
import { mergesQuery, unmerge } from './queries.ts';

const EVIDENCE: Record<ContactMerge['evidence'], string> = {
  api: 'By request',
  vendor: 'Reported by the vendor',
};

const nameOf = ({ contact_id: id, name, external_id: externalId }: ContactMerge): string =>
  name ?? externalId ?? `Contact ${id}`;

/** The contacts that are part of this one; nothing if there are none. */
export function Merges({ application, contact }: { application: number; contact: Contact }) {
  const { data = [], error, refetch } = useQuery(mergesQuery(application, contact.id));
  const [chosen, setChosen] = useState<ContactMerge>();
  if (error) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (data.length === 0) return null;
  return (
    <Section title="Merged contacts" flush>
      <ul data-testid="merges" className="divide-y divide-line">
        {data.map((merge) => (
          <li
            key={merge.contact_id}
            className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3 text-sm"
          >
            <div className="grid min-w-0 flex-1 basis-48 gap-0.5">
              <span className="font-medium wrap-anywhere">{nameOf(merge)}</span>
              <span className="text-xs text-ink-soft">
                {EVIDENCE[merge.evidence]}, <Time at={merge.merged_at} />
              </span>
            </div>
            <Button data-testid="unmerge" size="sm" onClick={() => setChosen(merge)}>
              <Split aria-hidden />
              Unmerge
            </Button>
          </li>
        ))}
      </ul>
      <Confirm
        open={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        title="Unmerge contact?"
        action="Unmerge contact"
        onConfirm={async () => {
          if (!chosen) return;
          await unmerge(application, contact.id, chosen.contact_id);
          toast.ok(`${nameOf(chosen)} is a contact again`);
        }}
      >
        {chosen && nameOf(chosen)} becomes a contact again, with the addresses and details that it
        brought to {contactName(contact)}. Details that were changed since then stay. Vendors cannot
        merge the two again.
      </Confirm>
    </Section>
  );
}
