import type { Statistics } from '../api/types.ts';
import { Section } from '../ui/card.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { formatDuration, parseTime } from '../ui/time.tsx';
import { failureRate, percentText } from './change.ts';
import { Chart, type Line } from './chart.tsx';
import { countTicks, durationTicks, percentTicks } from './ticks.ts';

/** A point of a chart: a period, and whether only its failures are meant. */
export interface Point {
  from: number;
  to: number;
  failures: boolean;
}

interface ChartsProps {
  statistics: Statistics | undefined;
  /** The period before. */
  before: Statistics | undefined;
  /** Names the period before, such as "previous 24 hours". */
  beforeLabel: string;
  /** Shows the messages of a point; undefined where there is no log of them. */
  onPick: ((point: Point) => void) | undefined;
}

const STEP_MS: Record<Statistics['step'], number> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

export function Charts({ statistics, before, beforeLabel, onPick }: ChartsProps) {
  const waiting = <Skeleton className="h-56" />;
  const pick =
    statistics && onPick
      ? (failures: boolean) => (at: number) =>
          onPick({ from: at, to: at + STEP_MS[statistics.step], failures })
      : undefined;
  return (
    <div className="grid gap-4 lg:grid-cols-2 xl:grid-cols-3">
      <Section title="Messages">
        {statistics ? (
          <Messages
            statistics={statistics}
            before={before}
            beforeLabel={beforeLabel}
            onPick={pick?.(false)}
          />
        ) : (
          waiting
        )}
      </Section>
      <Section title="Failure rate">
        {statistics ? (
          <Failures statistics={statistics} before={before} onPick={pick?.(true)} />
        ) : (
          waiting
        )}
      </Section>
      <Section title="Time to send">
        {statistics ? <Latency statistics={statistics} onPick={pick?.(false)} /> : waiting}
      </Section>
    </div>
  );
}

interface PartProps {
  statistics: Statistics;
  onPick: ((at: number) => void) | undefined;
}

const timesOf = ({ series }: Statistics) => series.map(({ at }) => parseTime(at));

/** The period before, aligned at its end; the steps of two periods may differ by one. */
function aligned(before: Statistics | undefined, length: number): (number | null)[] {
  const values = before?.series.map(({ accepted }) => accepted) ?? [];
  return Array.from({ length }, (_, i) => values[values.length - length + i] ?? null);
}

interface MessagesProps extends PartProps {
  before: Statistics | undefined;
  beforeLabel: string;
}

function Messages({ statistics, before, beforeLabel, onPick }: MessagesProps) {
  const { series, step, total } = statistics;
  const lines: Line[] = [
    ...(before && before.total.accepted > 0 && total.accepted > 0
      ? [
          {
            label: `Accepted, ${beforeLabel}`,
            tone: 'faint' as const,
            values: aligned(before, series.length),
            dashed: true as const,
          },
        ]
      : []),
    {
      label: 'Accepted',
      tone: 'accent',
      values: series.map(({ accepted }) => accepted),
      dashed: true,
    },
    { label: 'Sent', tone: 'busy', values: series.map(({ sent }) => sent) },
    { label: 'Delivered', tone: 'ok', values: series.map(({ delivered }) => delivered) },
  ];
  return (
    <Chart
      label={`Messages by ${step}: accepted, sent and delivered`}
      times={timesOf(statistics)}
      lines={lines}
      ticks={countTicks}
      empty="No messages in this period"
      onPick={onPick}
    />
  );
}

function Failures({ statistics, before, onPick }: PartProps & Pick<ChartsProps, 'before'>) {
  const { series, step, total } = statistics;
  const rate = failureRate(total);
  const rateBefore = before ? failureRate(before.total) : null;
  const line: Line = { label: 'Failed', tone: 'bad', values: series.map(failureRate), bars: true };
  return (
    <>
      <Chart
        label={`Failure rate by ${step}`}
        times={timesOf(statistics)}
        lines={[line]}
        ticks={percentTicks}
        empty={total.sent > 0 ? 'No failures in this period' : 'No messages in this period'}
        onPick={onPick}
      />
      {rate !== null && (
        <p data-testid="failure-rate" className="mt-2 text-xs text-ink-faint tabular">
          Whole period: {percentText(rate)}
          {rateBefore !== null && `, period before: ${percentText(rateBefore)}`}
        </p>
      )}
    </>
  );
}

function Latency({ statistics, onPick }: PartProps) {
  const { series, total } = statistics;
  const lines: Line[] = [
    { label: 'p50', tone: 'ok', values: series.map(({ latency_ms }) => latency_ms.p50) },
    {
      label: 'p95',
      tone: 'busy',
      values: series.map(({ latency_ms }) => latency_ms.p95),
      dashed: true,
    },
    { label: 'p99', tone: 'warn', values: series.map(({ latency_ms }) => latency_ms.p99) },
  ];
  const { p50, p95, p99 } = total.latency_ms;
  return (
    <>
      <Chart
        label={`Time to send by ${statistics.step}: p50, p95 and p99`}
        times={timesOf(statistics)}
        lines={lines}
        ticks={durationTicks}
        empty="No messages sent in this period"
        onPick={onPick}
      />
      {p50 !== null && p95 !== null && p99 !== null && (
        <p className="mt-2 text-xs text-ink-faint tabular">
          Whole period: p50 {formatDuration(p50)}, p95 {formatDuration(p95)}, p99{' '}
          {formatDuration(p99)}
        </p>
      )}
    </>
  );
}
