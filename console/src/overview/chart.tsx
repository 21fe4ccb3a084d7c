import { useEffect, useRef } from 'react';
import UPlot from 'uplot';

import 'uplot/dist/uPlot.min.css';
import { useTheme } from '../frame/theme.ts';
import { TONE_TEXT, type Tone } from '../ui/badge.tsx';
import { cn } from '../ui/cn.ts';
import { useMedia } from '../ui/media.ts';
import { bars } from './bars.ts';
import type { Ticks } from './ticks.ts';

export interface Line {
  label: string;
  tone: Tone | 'faint';
  /** One per time; null if unknown. */
  values: readonly (number | null)[];
  /** Lines must differ by more than color. */
  dashed?: true;
  bars?: true;
}

interface ChartProps {
  /** Accessible name. */
  label: string;
  /** Milliseconds since 1970. */
  times: readonly number[];
  lines: readonly Line[];
  /** Ticks of the vertical axis for values from 0 to `max`. */
  ticks(max: number): Ticks;
  /** Shown instead of a chart without data. */
  empty: string;
  /** Called with the time of a clicked point. */
  onPick?: ((at: number) => void) | undefined;
}

const HEIGHT_PX = 200;
/** Fits "1,000,000"; the same for all charts, so that their time axes align. */
const LABEL_WIDTH_PX = 64;
const TIME_LABEL_HEIGHT_PX = 26;

const isEmpty = (lines: readonly Line[]) =>
  lines.every(({ values }) => values.every((value) => value === null || value === 0));

export function Chart({ label, times, lines, ticks, empty, onPick }: ChartProps) {
  if (isEmpty(lines))
    return (
      <p
        data-testid="empty-chart"
        className="flex h-[200px] items-center justify-center text-sm text-ink-faint"
      >
        {empty}
      </p>
    );
  return <Plot label={label} times={times} lines={lines} ticks={ticks} onPick={onPick} />;
}

type PlotProps = Omit<ChartProps, 'empty'>;

/** uPlot draws on a canvas, so colors are read from the computed styles of the page. */
function Plot({ label, times, lines, ticks, onPick }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLUListElement>(null);
  const plot = useRef<UPlot>(null);
  const theme = useTheme();
  const isDark = useMedia('(prefers-color-scheme: dark)');
  const names = lines.map(({ label: name, values }) => [name, values.includes(null)]).join();

  // Recreate the plot only when its appearance changes; the effect below sets the data.
  useEffect(() => {
    const element = box.current;
    if (!element || !legend.current) return undefined;
    const chart = new UPlot(options(element, legend.current, { lines, ticks }), [[]], element);
    plot.current = chart;
    const observer = new ResizeObserver(() =>
      chart.setSize({ width: element.clientWidth, height: HEIGHT_PX }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
      plot.current = null;
    };
    // oxlint-disable-next-line react/exhaustive-deps -- the values of lines do not change the appearance
  }, [theme, isDark, names]);

  useEffect(() => {
    plot.current?.setData([
      times.map((time) => time / 1000),
      ...lines.map(({ values }) => [...values]),
    ]);
  }, [times, lines, theme, isDark]);

  return (
    <figure aria-label={label}>
      {/* The message log offers the same choice of time to people who do not use a pointer. */}
      <div
        ref={box}
        aria-hidden
        title={onPick && 'Click a point to show its messages'}
        className={cn(
          'h-[200px] w-full overflow-hidden text-ink-faint',
          onPick && 'cursor-pointer',
        )}
        onClick={() => {
          const time = times[plot.current?.cursor.idx ?? -1];
          if (time !== undefined) onPick?.(time);
        }}
      />
      <ul ref={legend} className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-soft">
        {lines.map(({ label: name, tone, dashed, bars: isBars }) => (
          <li key={name} className="flex items-center gap-1.5">
            <span
              data-line
              aria-hidden
              className={cn(
                'border-current',
                isBars ? 'h-2 border-l-4' : 'w-4 border-t-2',
                dashed && 'border-dashed',
                tone === 'faint' ? 'text-line-strong' : TONE_TEXT[tone],
              )}
            />
            {name}
          </li>
        ))}
      </ul>
    </figure>
  );
}

const hourFormat = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const dayFormat = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

/** The time in the reader's format; at midnight and for days, the date. */
function timeLabel(seconds: number): string {
  const date = new Date(seconds * 1000);
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0;
  return (isMidnight ? dayFormat : hourFormat).format(date);
}

function options(
  element: HTMLElement,
  legend: HTMLElement,
  { lines, ticks }: Pick<PlotProps, 'lines' | 'ticks'>,
): UPlot.Options {
  const ink = getComputedStyle(element).color;
  const marks = [...legend.querySelectorAll('[data-line]')];
  const font = `11px ${getComputedStyle(element).fontFamily}`;
  const grid = { stroke: getComputedStyle(element).borderColor, width: 1 };
  const axis = { stroke: ink, font, grid, ticks: { show: false } };
  const top = (max: number | null) => ticks(max ?? 0).values.at(-1) ?? 1;
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    // Room for half of the topmost label, and of the last one below.
    padding: [8, 26, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    scales: { y: { range: (_plot, _min, max: number | null) => [0, top(max)] } },
    axes: [
      { ...axis, size: TIME_LABEL_HEIGHT_PX, values: (_plot, times) => times.map(timeLabel) },
      {
        ...axis,
        size: LABEL_WIDTH_PX,
        splits: (_plot, _axis, _min, max) => ticks(max).values,
        values: (_plot, values) => ticks(values.at(-1) ?? 0).labels,
      },
    ],
    series: [
      {},
      ...lines.map(({ label, values, dashed, bars: isBars }, i): UPlot.Series => {
        const color = marks[i] ? getComputedStyle(marks[i]).color : ink;
        if (isBars) return { label, fill: color, paths: bars, points: { show: false } };
        return {
          label,
          stroke: color,
          width: 1.75,
          // A single value between two nulls has no line, so draw points.
          points: { show: values.includes(null), size: 4 },
          spanGaps: true,
          ...(dashed && { dash: [5, 4] }),
        };
      }),
    ],
  };
}
