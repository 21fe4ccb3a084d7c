import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download, Eraser } from 'lucide-react';
import { useState } from 'react';

import type { Contact } from '../api/types.ts';
import { NotFoundPage } from '../frame/not-found-page.tsx';
import { useSaveFile } from '../messages/drawing/received-file.ts';
import { Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { OuterLink, Page } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { contactName } from './contact-name.ts';
import { eraseContact, erasureQuery } from './queries.ts';

/** Exports all data of a person as a file, or erases it. */
export function Privacy({ application, contact }: { application: number; contact: Contact }) {
  const { id } = contact;
  const save = useSaveFile(application);
  const [erasing, setErasing] = useState(false);
  return (
    <Section
      title="Privacy"
      description={
        <>
          Everything about the person: messages, events, consents and files.{' '}
          <OuterLink href="/docs/privacy">What is stored</OuterLink>
        </>
      }
    >
      <div className="flex flex-wrap gap-2">
        <Button
          data-testid="export"
          busy={save.isPending}
          onClick={() =>
            save.mutate({ path: `/1/contacts/${id}/export`, name: `contact-${id}.ndjson` })
          }
        >
          <Download aria-hidden />
          Export as NDJSON
        </Button>
        <Button data-testid="erase" look="dangerQuiet" onClick={() => setErasing(true)}>
          <Eraser aria-hidden />
          Erase person
        </Button>
      </div>
      <Confirm
        open={erasing}
        onClose={() => setErasing(false)}
        title="Erase person?"
        action="Erase person"
        danger
        requiredText={contactName(contact)}
        onConfirm={() => eraseContact(application, id)}
      >
        This cannot be undone. The contact, all messages to and from the person, their events and
        files are erased, and waiting messages are not sent. Revoked consents stay in force. Backups
        contain the person until they are deleted.
      </Confirm>
    </Section>
  );
}

/** In place of a contact that does not exist: it may have been erased. */
export function ErasedContact({ application, id }: { application: number; id: number }) {
  const { data, isPending } = useQuery(erasureQuery(application, id));
  if (isPending) {
    return (
      <Page title="Contact">
        <Skeleton className="h-24 rounded-lg" />
      </Page>
    );
  }
  if (!data) return <NotFoundPage />;
  const { state, messages, events, finished_at: finishedAt } = data;
  const isDone = state === 'done';
  return (
    <Page
      title={`Contact ${id}`}
      crumb={
        <Link
          to="/app/applications/$application/contacts"
          params={{ application: String(application) }}
        >
          Contacts
        </Link>
      }
    >
      <div data-testid="erasure" data-state={state}>
        <Section
          title={isDone ? 'Erased' : 'Erasing'}
          description={
            isDone
              ? 'Everything about the person was removed.'
              : 'The contact is gone. Messages, events and files are being removed.'
          }
        >
          <p role="status" className="text-sm tabular">
            {messages.toLocaleString()} {messages === 1 ? 'message' : 'messages'} and{' '}
            {events.toLocaleString()} {events === 1 ? 'event' : 'events'} removed
            {finishedAt !== null && (
              <>
                , finished <Time at={finishedAt} exact />
              </>
            )}
            .
          </p>
        </Section>
      </div>
    </Page>
  );
}
