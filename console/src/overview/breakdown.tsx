import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import type { Statistics } from '../api/types.ts';
import { ChannelMark } from '../integrations/channel-mark.tsx';
import { Section } from '../ui/card.tsx';
import { Table, Td, Th, Tr } from '../ui/list/table.tsx';
import { linkClass } from '../ui/page.tsx';
import { formatDuration } from '../ui/time.tsx';

type Counts = Pick<
  Statistics['total'],
  'accepted' | 'sent' | 'delivered' | 'failed' | 'received' | 'latency_ms'
>;

export function ByChannel({ channels }: Pick<Statistics, 'channels'>) {
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
            {channel}
          </span>
        ),
      }))}
    />
  );
}

export interface ByApplicationProps extends Pick<Statistics, 'applications'> {
  names: ReadonlyMap<number, string>;
}

export function ByApplication({ applications, names }: ByApplicationProps) {
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
            {names.get(application_id) ?? `Deleted application ${application_id}`}
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

function Breakdown({ title, testId, of, rows }: BreakdownProps) {
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
          {rows.map(({ key, name, counts }) => (
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
    </Section>
  );
}
