import type { Statistics } from '../api/types.ts';
import { ApplicationName } from '../applications/application-name.tsx';
import { ChannelMark } from '../integrations/channel-mark.tsx';
import { Section } from '../ui/card.tsx';
import { Table, Td, Th, Tr } from '../ui/list/table.tsx';
import { useChannelTitles } from './channel-titles.ts';

interface CostsProps {
  costs: Statistics['costs'];
  /** Whether they are of several applications. */
  isTeam: boolean;
}

/** Costs per channel, as far as vendors report them. */
export function Costs({ costs, isTeam }: CostsProps) {
  const titleOf = useChannelTitles();
  if (costs.length === 0) return null;
  const rows = costs.toSorted((a, b) => b.parts - a.parts);
  return (
    <Section title="Costs" description="As far as vendors report them." flush>
      <Table
        label="Costs"
        testId="costs"
        head={
          <>
            {isTeam && <Th>Application</Th>}
            <Th>Channel</Th>
            <Th>Category</Th>
            <Th className="text-right max-sm:hidden">Message parts</Th>
            <Th className="text-right">Amount</Th>
          </>
        }
      >
        {rows.map(({ application_id, channel, category, currency, amount, parts }) => (
          <Tr key={[application_id, channel, category, currency].join()}>
            {isTeam && (
              <Td className="max-w-40 truncate">
                <ApplicationName id={application_id} />
              </Td>
            )}
            <Td className="max-w-40 truncate">
              <span className="inline-flex items-center gap-2">
                <ChannelMark name={channel} />
                {titleOf(channel)}
              </span>
            </Td>
            <Td className="text-ink-soft">{category ?? '–'}</Td>
            <Td className="tabular text-right max-sm:hidden">{parts.toLocaleString()}</Td>
            <Td className="tabular text-right">
              {amount === null ? 'Not reported' : `${amount} ${currency ?? ''}`}
            </Td>
          </Tr>
        ))}
      </Table>
    </Section>
  );
}
