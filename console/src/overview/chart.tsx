import { useEffect, useRef } from 'react';
import UPlot from 'uplot';

import 'uplot/dist/uPlot.min.css';
import { useTheme } from '../frame/theme.ts';
import { TONE_TEXT, type Tone } from '../ui/badge.tsx';
import { cn } from '../ui/cn.ts';
import { useMedia } from '../ui/media.ts';

export interface Line {
  label: string;
  tone: Tone;
  /** One for each moment; null where there is nothing to say. */
  values: readonly (number | null)[];
  /** So that lines differ by more than their colour. */
  dashed?: true;
}

export interface ChartProps {
  /** What it shows, for those who hear it. */
  label: string;
  /** In milliseconds. */
  moments: readonly number[];
  lines: readonly Line[];
  /** How a value is written. */
  write(value: number): string;
}

const HEIGHT = 200;

/** Lines over time. The colours are those of the page, read where they are. */
export function Chart({ label, moments, lines, write }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLUListElement>(null);
  const plot = useRef<UPlot>(null);
  const theme = useTheme();
  const isDark = useMedia('(prefers-color-scheme: dark)');
  const names = lines.map(({ label: name, values }) => [name, values.includes(null)]).join();

  // Anew when its look changes; what it shows is put in below.
  useEffect(() => {
    const place = box.current;
    if (!place || !legend.current) return undefined;
    const made = new UPlot(options(place, legend.current, lines, write), [[]], place);
    plot.current = made;
    const watcher = new ResizeObserver(() =>
      made.setSize({ width: place.clientWidth, height: HEIGHT }),
    );
    watcher.observe(place);
    return () => {
      watcher.disconnect();
      made.destroy();
      plot.current = null;
    };
    // oxlint-disable-next-line react/exhaustive-deps -- the values of lines do not change its look
  }, [theme, isDark, names]);

  useEffect(() => {
    plot.current?.setData([
      moments.map((moment) => moment / 1000),
      ...lines.map(({ values }) => [...values]),
    ]);
  }, [moments, lines, theme, isDark]);

  return (
    <figure aria-label={label}>
      <div ref={box} aria-hidden className="h-[200px] w-full overflow-hidden text-ink-faint" />
      <ul ref={legend} className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-soft">
        {lines.map(({ label: name, tone, dashed }) => (
          <li key={name} className="flex items-center gap-1.5">
            <span
              data-line
              aria-hidden
              className={cn(
                'w-4 border-t-2 border-current',
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

function options(
  place: HTMLElement,
  legend: HTMLElement,
  lines: readonly Line[],
  write: (value: number) => string,
): UPlot.Options {
  const ink = getComputedStyle(place).color;
  const marks = [...legend.querySelectorAll('[data-line]')];
  const font = `11px ${getComputedStyle(place).fontFamily}`;
  const grid = { stroke: getComputedStyle(place).borderColor, width: 1 };
  const axis = { stroke: ink, font, grid, ticks: { show: false } };
  return {
    width: place.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    scales: { y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [axis, { ...axis, size: 56, values: (_plot, values) => values.map(write) }],
    series: [
      {},
      ...lines.map(({ label, values, dashed }, i) => ({
        label,
        stroke: marks[i] ? getComputedStyle(marks[i]).color : ink,
        width: 1.75,
        // Between two moments of which nothing is known, one would not be seen without.
        points: { show: values.includes(null), size: 4 },
        spanGaps: true,
        ...(dashed && { dash: [5, 4] }),
      })),
    ],
  };
}
