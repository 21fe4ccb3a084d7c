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
  tone: Tone;
  /** One per time; null if unknown. */
  values: readonly (number | null)[];
  /** Lines must differ by more than colour. */
  dashed?: true;
  bars?: true;
}

export interface ChartProps {
  /** Accessible name. */
  label: string;
  /** Milliseconds since 1970. */
  times: readonly number[];
  lines: readonly Line[];
  /** Ticks of the vertical axis for values from 0 to `max`. */
  ticks(max: number): Ticks;
  /** Shown instead of a chart without data. */
  empty: string;
  /** A low chart beneath another one, aligned with its time axis. */
  strip?: true;
}

const HEIGHT_PX = 200;
const STRIP_HEIGHT_PX = 56;
/** Fits "1,000,000"; the same for all charts, so that their time axes align. */
const LABEL_WIDTH_PX = 64;

const isEmpty = (lines: readonly Line[]) =>
  lines.every(({ values }) => values.every((value) => value === null || value === 0));

export function Chart({ label, times, lines, ticks, empty, strip }: ChartProps) {
  if (isEmpty(lines))
    return (
      <p
        data-testid="empty-chart"
        className="flex h-[200px] items-center justify-center text-sm text-ink-faint"
      >
        {empty}
      </p>
    );
  return (
    <Plot
      label={label}
      times={times}
      lines={lines}
      ticks={ticks}
      height={strip ? STRIP_HEIGHT_PX : HEIGHT_PX}
    />
  );
}

interface PlotProps extends Pick<ChartProps, 'label' | 'times' | 'lines' | 'ticks'> {
  height: number;
}

/** uPlot draws on a canvas, so colours are read from the computed styles of the page. */
function Plot({ label, times, lines, ticks, height }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLUListElement>(null);
  const plot = useRef<UPlot>(null);
  const theme = useTheme();
  const isDark = useMedia('(prefers-color-scheme: dark)');
  const names = lines.map(({ label: name, values }) => [name, values.includes(null)]).join();

  // Recreate the plot only when its appearance changes; the effect below sets the data.
  useEffect(() => {
    const place = box.current;
    if (!place || !legend.current) return undefined;
    const chart = new UPlot(options(place, legend.current, { lines, ticks, height }), [[]], place);
    plot.current = chart;
    const observer = new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height }));
    observer.observe(place);
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
      <div
        ref={box}
        aria-hidden
        className={cn(
          'w-full overflow-hidden text-ink-faint',
          height === HEIGHT_PX ? 'h-[200px]' : 'h-[56px]',
        )}
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
                TONE_TEXT[tone],
              )}
            />
            {name}
          </li>
        ))}
      </ul>
    </figure>
  );
}

const ends = <Item,>(all: readonly Item[]) =>
  [...new Set([all[0], all.at(-1)])].filter((one) => one !== undefined);

function options(
  place: HTMLElement,
  legend: HTMLElement,
  { lines, ticks, height }: Pick<PlotProps, 'lines' | 'ticks' | 'height'>,
): UPlot.Options {
  const ink = getComputedStyle(place).color;
  const marks = [...legend.querySelectorAll('[data-line]')];
  const font = `11px ${getComputedStyle(place).fontFamily}`;
  const grid = { stroke: getComputedStyle(place).borderColor, width: 1 };
  const axis = { stroke: ink, font, grid, ticks: { show: false } };
  const isStrip = height === STRIP_HEIGHT_PX;
  /** A strip has room for the first and last label only. */
  const shown = (max: number): Ticks => {
    const { values, labels } = ticks(max);
    return isStrip ? { values: ends(values), labels: ends(labels) } : { values, labels };
  };
  const top = (max: number | null) => ticks(max ?? 0).values.at(-1) ?? 1;
  return {
    width: place.clientWidth,
    height,
    // Room for half of the topmost label.
    padding: [8, 8, isStrip ? 8 : 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    scales: { y: { range: (_plot, _min, max: number | null) => [0, top(max)] } },
    axes: [
      { ...axis, show: !isStrip },
      {
        ...axis,
        size: LABEL_WIDTH_PX,
        splits: (_plot, _axis, _min, max) => shown(max).values,
        values: (_plot, values) => shown(values.at(-1) ?? 0).labels,
      },
    ],
    series: [
      {},
      ...lines.map(({ label, values, dashed, bars: isBars }, i): UPlot.Series => {
        const colour = marks[i] ? getComputedStyle(marks[i]).color : ink;
        if (isBars) return { label, fill: colour, paths: bars, points: { show: false } };
        return {
          label,
          stroke: colour,
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
