import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  Blocks,
  Cable,
  Contact,
  KeyRound,
  LogIn,
  type LucideIcon,
  MailPlus,
  Send,
  UserRound,
  Users,
  Webhook,
} from 'lucide-react';

import type { AuditEntry } from '../api/types.ts';
import { useApplicationById } from '../applications/queries.ts';
import { channelsQuery } from '../integrations/queries.ts';
import { linkClass } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { actorOf, actionText, subjectOf } from './audit-text.ts';

/** By the kind of resource, which is the beginning of the action name. */
const ICONS: Readonly<Record<string, LucideIcon>> = {
  application: Blocks,
  integration: Cable,
  webhook: Webhook,
  key: KeyRound,
  token: KeyRound,
  message: Send,
  contact: Contact,
  team: Users,
  user: UserRound,
  invitation: MailPlus,
  session: LogIn,
};

export function AuditRow({ entry }: { entry: AuditEntry }) {
  const Icon = ICONS[entry.action.split('.', 1)[0] ?? ''] ?? Blocks;
  return (
    <li
      data-action={entry.action}
      className="flex items-start gap-3 border-t border-line px-4 py-2.5 text-sm first:border-t-0"
    >
      <Icon className="mt-0.5 size-4 shrink-0 text-ink-faint" aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="text-pretty wrap-anywhere text-ink-soft">
          <strong className="font-medium text-ink">{actorOf(entry)}</strong> {actionText(entry)}{' '}
          <Subject entry={entry} />
        </p>
        {entry.changes.length > 0 && (
          <ul className="mt-1 grid gap-0.5 text-xs text-ink-soft">
            {entry.changes.map((change) => (
              <ChangeItem
                key={change.field}
                change={change}
                isNew={entry.action.endsWith('.created')}
              />
            ))}
          </ul>
        )}
      </div>
      <Time at={entry.created_at} className="shrink-0 text-xs text-ink-faint" />
    </li>
  );
}

interface ChangeItemProps {
  change: AuditEntry['changes'][number];
  isNew: boolean;
}

function ChangeItem({ change: { field, from, to }, isNew }: ChangeItemProps) {
  const name = <code className="font-mono text-ink-faint">{field}</code>;
  if (from === undefined && to === undefined)
    return (
      <li>
        {name} was {isNew ? 'set' : 'changed'}
      </li>
    );
  return (
    <li className="wrap-anywhere">
      {name}{' '}
      {from !== undefined && from !== null && !isNew && (
        <>
          <del className="text-ink-faint">{from}</del>
          <span aria-hidden> → </span>
        </>
      )}
      {to === undefined || to === null ? (
        <span className="sr-only">removed</span>
      ) : (
        <ins className="no-underline">{to}</ins>
      )}
    </li>
  );
}

/** The changed resource, as a link while it exists. */
function Subject({ entry }: { entry: AuditEntry }) {
  const { subject, application_id } = entry;
  const isDeleted = entry.action.endsWith('.deleted');
  const application = useApplicationById(isDeleted ? undefined : (application_id ?? undefined));
  const { data: channels } = useQuery(channelsQuery);
  const text = subjectOf(entry, channels);
  if (text === undefined) return null;
  const exists = Boolean(application);
  const params = { application: String(application_id) };
  if (exists && subject.type === 'application') {
    return (
      <Link to="/app/applications/$application/settings" params={params} className={linkClass}>
        {text}
      </Link>
    );
  }
  if (exists && subject.type === 'message') {
    return (
      <Link
        to="/app/applications/$application/messages/$message"
        params={{ ...params, message: String(subject.id) }}
        className={linkClass}
      >
        {text}
      </Link>
    );
  }
  if (exists && subject.type === 'integration') {
    return (
      <Link
        to="/app/applications/$application/integrations/$integration"
        params={{ ...params, integration: String(subject.id) }}
        className={linkClass}
      >
        {text}
      </Link>
    );
  }
  if (exists && subject.type === 'contact') {
    return (
      <Link
        to="/app/applications/$application/contacts/$contact"
        params={{ ...params, contact: String(subject.id) }}
        className={linkClass}
      >
        {text}
      </Link>
    );
  }
  return <span className="font-medium text-ink">{text}</span>;
}
