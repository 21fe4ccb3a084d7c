import { useQuery } from '@tanstack/react-query';

import { Section } from '../ui/card.tsx';
import { Table, Td, Th, Tr } from '../ui/list/table.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Time } from '../ui/time.tsx';
import { ignoredQuery } from './queries.ts';

interface IgnoredProps {
  application: number;
  integration: number;
}

/** Reports that produced no event. Hidden while there are none. */
export function Ignored({ application, integration }: IgnoredProps) {
  const { data: reports = [], error, refetch } = useQuery(ignoredQuery(application, integration));
  if (!error && reports.length === 0) return null;
  return (
    <Section title="Ignored reports" description="Reports from the channel that produced no event.">
      {error && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {reports.length > 0 && (
        <Table
          label="Ignored reports"
          head={
            <>
              <Th>Type</Th>
              <Th>Reason</Th>
              <Th className="text-right">Count</Th>
              <Th className="max-sm:hidden">Last</Th>
            </>
          }
        >
          {reports.map(({ id, type, reason, description, count, last_at: last }) => (
            <Tr key={id}>
              <Td className="font-mono text-xs wrap-anywhere">{type}</Td>
              <Td>
                <span title={reason}>{description}</span>
              </Td>
              <Td className="text-right tabular">{count.toLocaleString()}</Td>
              <Td className="max-sm:hidden">
                <Time at={last} className="text-ink-faint" />
              </Td>
            </Tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
