import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';

import type { Statistics } from '../api/types.ts';
import { ApplicationName } from '../applications/application-name.tsx';
import { ChannelMark } from '../integrations/channel-mark.tsx';
import { Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Table, Td, Th, Tr } from '../ui/list/table.tsx';
import { linkClass } from '../ui/page.tsx';
import { formatDuration } from '../ui/time.tsx';
import { useChannelTitles } from './channel-titles.ts';

type Counts = Pick<
  Statistics['total'],
  'accepted' | 'sent' | 'delivered' | 'failed' | 'received' | 'latency_ms'
>;

export function ByChannel({ channels }: Pick<Statistics, 'channels'>) {
  const titleOf = useChannelTitles();
  return (
    <Breakdown
      title="By channel"
      testId="by-channel"
      of="Channel"
      rows={channels.map(({ channel, ...counts }) => ({
        key: channel,
        counts,
        name: (
          <span className="inline-flex items-center gap-2">
            <ChannelMark name={channel} />
            {titleOf(channel)}
          </span>
        ),
      }))}
    />
  );
}

export function ByApplication({ applications }: Pick<Statistics, 'applications'>) {
  return (
    <Breakdown
      title="By application"
      testId="by-application"
      of="Application"
      rows={applications.map(({ application_id, ...counts }) => ({
        key: String(application_id),
        counts,
        name: (
          <Link
            to="/app/applications/$application/overview"
            params={{ application: String(application_id) }}
            className={linkClass}
          >
            <ApplicationName id={application_id} />
          </Link>
        ),
      }))}
    />
  );
}

interface BreakdownProps {
  title: string;
  testId: string;
  of: string;
  rows: readonly { key: string; name: ReactNode; counts: Counts }[];
}

/** Rows shown at first, and added by each press of the button. */
const ROWS_PER_PRESS = 20;

/** The busiest come first. */
function Breakdown({ title, testId, of, rows: unsorted }: BreakdownProps) {
  const [shown, setShown] = useState(ROWS_PER_PRESS);
  const rows = unsorted.toSorted((a, b) => b.counts.accepted - a.counts.accepted);
  const hidden = rows.length - shown;
  const number = 'text-right tabular';
  return (
    <Section title={title} flush>
      {rows.length === 0 ? (
        <p data-testid="no-traffic" className="p-4 text-sm text-ink-faint">
          No messages in this period
        </p>
      ) : (
        <Table
          label={title}
          testId={testId}
          head={
            <>
              <Th>{of}</Th>
              <Th className="text-right">Accepted</Th>
              <Th className="text-right max-sm:hidden">Sent</Th>
              <Th className="text-right max-sm:hidden">Delivered</Th>
              <Th className="text-right">Failed</Th>
              <Th className="text-right max-sm:hidden">Received</Th>
              <Th className="text-right max-sm:hidden">p50</Th>
            </>
          }
        >
          {rows.slice(0, shown).map(({ key, name, counts }) => (
            <Tr key={key}>
              <Td className="max-w-40 truncate">{name}</Td>
              <Td className={number}>{counts.accepted.toLocaleString()}</Td>
              <Td className={`${number} max-sm:hidden`}>{counts.sent.toLocaleString()}</Td>
              <Td className={`${number} max-sm:hidden`}>{counts.delivered.toLocaleString()}</Td>
              <Td className={counts.failed > 0 ? `${number} text-bad` : number}>
                {counts.failed.toLocaleString()}
              </Td>
              <Td className={`${number} max-sm:hidden`}>{counts.received.toLocaleString()}</Td>
              <Td className={`${number} text-ink-soft max-sm:hidden`}>
                {counts.latency_ms.p50 === null ? '–' : formatDuration(counts.latency_ms.p50)}
              </Td>
            </Tr>
          ))}
        </Table>
      )}
      {hidden > 0 && (
        <div className="border-t border-line px-2 py-1">
          <Button look="quiet" size="sm" onClick={() => setShown(shown + ROWS_PER_PRESS)}>
            Show {Math.min(hidden, ROWS_PER_PRESS)} more of {rows.length.toLocaleString()}
          </Button>
        </div>
      )}
    </Section>
  );
}
