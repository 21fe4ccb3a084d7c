import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Contact as ContactIcon, UserPlus } from 'lucide-react';
import { useState } from 'react';

import type { Conversation } from '../api/types.ts';
import { integrationsQuery } from '../integrations/queries.ts';
import { Button } from '../ui/form/button.tsx';
import { NewContactDialog } from './new-contact.tsx';

/** Opens the contact of a conversation, or creates it. */
export function ContactLink({
  application,
  conversation,
}: {
  application: number;
  conversation: Conversation;
}) {
  const { contact, integration_id: integration, channel, to, name } = conversation;
  const { data: integrations } = useQuery(integrationsQuery(application));
  const [isAdding, setAdding] = useState(false);
  if (contact) {
    return (
      <Button asChild size="sm" className="max-sm:px-2">
        <Link
          data-testid="contact"
          to="/app/applications/$application/contacts/$contact"
          params={{ application: String(application), contact: String(contact.id) }}
          aria-label="Open contact"
          title="Open contact"
        >
          <ContactIcon aria-hidden />
          <span className="max-sm:hidden">Contact</span>
        </Link>
      </Button>
    );
  }
  const used = integrations?.find(({ id }) => id === integration);
  if (!used) return null;
  const family = used.mode === 'sandbox' ? `sandbox.${channel}` : channel;
  return (
    <>
      <Button
        data-testid="add-contact"
        size="sm"
        className="max-sm:px-2"
        aria-label="Add contact"
        title="Add contact"
        onClick={() => setAdding(true)}
      >
        <UserPlus aria-hidden />
        <span className="max-sm:hidden">Add contact</span>
      </Button>
      {isAdding && (
        <NewContactDialog
          application={application}
          address={{ channel: family, address: to }}
          name={name ?? ''}
          onClose={() => setAdding(false)}
          onCreated={() => setAdding(false)}
        />
      )}
    </>
  );
}
