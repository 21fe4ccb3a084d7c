import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ChevronRight, Merge } from 'lucide-react';
import { useState } from 'react';

import { isNotFound } from '../api/problem.ts';
import type { Contact } from '../api/types.ts';
import { useApplicationId } from '../applications/application.ts';
import { idIn } from '../applications/queries.ts';
import { conversationName } from '../conversations/conversation-name.ts';
import { IntegrationName } from '../integrations/integration-name.tsx';
import { Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { Copyable } from '../ui/form/copy.tsx';
import { Form } from '../ui/form/form.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { Addresses } from './addresses.tsx';
import {
  ContactFieldInputs,
  bodyOf,
  draftOf,
  hasRepeatedNames,
  isFieldError,
} from './contact-fields.tsx';
import { contactName } from './contact-name.ts';
import { MergeDialog } from './merge-dialog.tsx';
import { Merges } from './merges.tsx';
import { ErasedContact, Privacy } from './privacy.tsx';
import {
  contactConversationsQuery,
  contactQuery,
  deleteContact,
  forgetContact,
  useChangeContact,
} from './queries.ts';

export function ContactPage() {
  const application = useApplicationId();
  const { contact } = useParams({
    from: '/app/framed/applications/$application/contacts/$contact',
  });
  const id = idIn(contact) ?? 0;
  const navigate = useNavigate();
  const [deleting, setDeleting] = useState(false);
  const [merging, setMerging] = useState(false);
  const { data, error, isLoadingError, refetch } = useQuery(contactQuery(application, id));
  if (isNotFound(error)) {
    return <ErasedContact application={application} id={id} />;
  }
  const home = {
    to: '/app/applications/$application/contacts',
    params: { application: String(application) },
  } as const;
  return (
    <Page
      {...(data && { name: contactName(data) })}
      title={data ? contactName(data) : <Skeleton className="h-7 w-48" />}
      crumb={<Link {...home}>Contacts</Link>}
      description={
        data && (
          <span className="flex flex-wrap items-center gap-x-3">
            <Copyable text={`contact:${data.id}`} />
            <span>
              Created <Time at={data.created_at} />
            </span>
          </span>
        )
      }
      actions={
        data && (
          <>
            <Button data-testid="merge" onClick={() => setMerging(true)}>
              <Merge aria-hidden />
              Merge
            </Button>
            <Button data-testid="delete" look="dangerQuiet" onClick={() => setDeleting(true)}>
              Delete contact
            </Button>
          </>
        )
      }
    >
      {isLoadingError && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-80 rounded-lg" />}
      {data && (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <div className="grid gap-4">
            <Addresses application={application} contact={data} />
            <ContactConversations application={application} id={id} />
            <Merges application={application} contact={data} />
          </div>
          <div className="grid gap-4">
            <Details key={JSON.stringify(draftOf(data))} application={application} contact={data} />
            <Privacy application={application} contact={data} />
          </div>
        </div>
      )}
      {data && merging && (
        <MergeDialog application={application} contact={data} onClose={() => setMerging(false)} />
      )}
      <Confirm
        open={deleting}
        onClose={() => setDeleting(false)}
        title="Delete contact?"
        action="Delete contact"
        danger
        onConfirm={async () => {
          await deleteContact(application, id);
          await navigate(home);
          forgetContact(application, id);
        }}
      >
        The addresses are deleted with it. Messages, events and consents stay.
      </Confirm>
    </Page>
  );
}

function Details({ application, contact }: { application: number; contact: Contact }) {
  const [draft, setDraft] = useState(() => draftOf(contact));
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(contact));
  const change = useChangeContact(application, contact.id);
  return (
    <Section title="Details">
      <Form
        className="grid gap-4"
        onSubmit={() =>
          change.mutate(bodyOf(draft), { onSuccess: () => toast.ok('Contact saved') })
        }
      >
        {change.isError && !isFieldError(change.error) && <ProblemNotice error={change.error} />}
        <ContactFieldInputs draft={draft} error={change.error} onChange={setDraft} />
        <div>
          <Button
            type="submit"
            data-testid="save"
            look="primary"
            busy={change.isPending}
            disabled={!isChanged || hasRepeatedNames(draft)}
          >
            Save contact
          </Button>
        </div>
      </Form>
    </Section>
  );
}

function ContactConversations({ application, id }: { application: number; id: number }) {
  const { data, error, refetch } = useQuery(contactConversationsQuery(application, id));
  return (
    <Section title="Conversations" flush>
      {error ? (
        <ProblemNotice error={error} onRetry={() => void refetch()} className="m-4" />
      ) : data === undefined ? (
        <Skeleton className="m-4 h-10" />
      ) : data.length === 0 ? (
        <p className="px-4 py-6 text-center text-sm text-ink-soft">No messages yet.</p>
      ) : (
        <ul data-testid="contact-conversations" className="divide-y divide-line">
          {data.map((conversation) => (
            <li key={conversation.id}>
              <Link
                to="/app/applications/$application/conversations/$conversation"
                params={{ application: String(application), conversation: String(conversation.id) }}
                className="flex items-center gap-3 px-4 py-2.5 text-sm -outline-offset-2 hover:bg-hover"
              >
                <span className="grid min-w-0 flex-1 grid-cols-1 gap-0.5">
                  <span className="flex items-baseline gap-x-2 max-sm:flex-wrap">
                    <IntegrationName
                      application={application}
                      id={conversation.integration_id}
                      channel={conversation.channel}
                    />
                    <Time
                      at={conversation.last_at}
                      className="ml-auto shrink-0 text-xs text-ink-faint"
                    />
                  </span>
                  <span className="truncate text-ink-soft">
                    {conversation.last?.text ?? conversationName(conversation)}
                  </span>
                </span>
                <ChevronRight className="size-4 shrink-0 text-ink-faint" aria-hidden />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
