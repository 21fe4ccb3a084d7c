import { readFileSync } from 'node:fs';

import { escape } from '../html.ts';
import { ROOT } from '../manual.ts';

/* Bar charts of saved measurements, for comments such as `<!-- chart: throughput -->` in a page. */

interface Bar {
  label: string;
  value: number;
}

interface Chart {
  title: string;
  unit: string;
  /** Date and machine. */
  on: string;
  bars: readonly Bar[];
}

interface Measured {
  throughput: { on: string; rates: Readonly<Record<string, number>> };
  limits: { on: string; lane: number; integration: number; application: number };
  nodes: {
    on: string;
    accept: { node: number; server: number };
    deliver: { node: number; server: number };
  };
  memory: { on: string; message: number; attempt: number; event: number };
}

const measured = JSON.parse(readFileSync(new URL('bench/measured.json', ROOT), 'utf8')) as Measured;
const microseconds = (seconds: number) => Math.round(seconds * 1e6);

const CHARTS: Readonly<Record<string, () => Chart>> = {
  throughput: () => ({
    title: 'Messages per second on one machine',
    unit: 'messages/s',
    on: measured.throughput.on,
    bars: Object.entries(measured.throughput.rates).map(([label, value]) => ({ label, value })),
  }),
  limits: () => ({
    title: 'Deliveries per second of one lane, integration and application',
    unit: 'messages/s',
    on: measured.limits.on,
    bars: [
      { label: 'one lane', value: Math.round(measured.limits.lane) },
      { label: 'one integration', value: Math.round(measured.limits.integration) },
      { label: 'eight integrations', value: Math.round(measured.limits.application) },
    ],
  }),
  costs: () => ({
    title: 'Processor time for each message over PostgreSQL',
    unit: 'µs',
    on: measured.nodes.on,
    bars: [
      { label: 'accept: node', value: microseconds(measured.nodes.accept.node) },
      { label: 'accept: database', value: microseconds(measured.nodes.accept.server) },
      { label: 'deliver: node', value: microseconds(measured.nodes.deliver.node) },
      { label: 'deliver: database', value: microseconds(measured.nodes.deliver.server) },
    ],
  }),
};

const ROW = 34;
const LABEL_WIDTH = 310;
const BAR_WIDTH = 330;
const WIDTH = LABEL_WIDTH + BAR_WIDTH + 110;

/** The chart of a name; undefined if there is none. */
export function chartHtml(name: string): string | undefined {
  const chart = CHARTS[name]?.();
  if (!chart) return undefined;
  const { title, unit, on, bars } = chart;
  const most = Math.max(...bars.map(({ value }) => value));
  const words = bars.map(({ label, value }) => `${label}: ${format(value)} ${unit}`).join('; ');
  const rows = bars.map(({ label, value }, at) => {
    const y = at * ROW;
    const width = Math.round((value / most) * BAR_WIDTH);
    return `<text x="${LABEL_WIDTH - 12}" y="${y + 21}" text-anchor="end">${escape(label)}</text><rect x="${LABEL_WIDTH}" y="${y + 6}" width="${width}" height="22" rx="3"></rect><text x="${LABEL_WIDTH + width + 8}" y="${y + 21}">${format(value)}</text>`;
  });
  const id = `chart-${name}`;
  return `<figure class="chart"><div class="diagram" tabindex="0"><svg role="img" aria-labelledby="${id}-title ${id}-description" viewBox="0 0 ${WIDTH} ${bars.length * ROW}" width="${WIDTH}" height="${bars.length * ROW}"><title id="${id}-title">${escape(title)}</title><desc id="${id}-description">${escape(words)}</desc>${rows.join('')}</svg></div><figcaption>${escape(title)}, ${escape(unit)}. Measured ${escape(on)}.</figcaption></figure>\n`;
}

const format = (value: number) => value.toLocaleString('en-US');
