/*
 * A duration histogram in the Prometheus text format. The histogram of prom-client looks up its labels for every
 * observation, which is a noticeable share of the cost of accepting a message.
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600];

interface Series {
  /** Observations per bucket; the last one is beyond all bounds. */
  counts: number[];
  sum: number;
}

export class Durations {
  readonly name: string;
  readonly #help: string;
  readonly #labels: readonly string[];
  readonly #series = new Map<string, Series>();

  constructor({ name, help, labels }: { name: string; help: string; labels: readonly string[] }) {
    this.name = name;
    this.#help = help;
    this.#labels = labels;
  }

  /** `labels` are the values in order, separated by spaces. */
  observe(labels: string, seconds: number): void {
    let series = this.#series.get(labels);
    if (!series) {
      series = { counts: Array.from({ length: BUCKETS.length + 1 }, () => 0), sum: 0 };
      this.#series.set(labels, series);
    }
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] ?? 0)) bucket++;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += seconds;
  }

  text(): string {
    const head = [`# HELP ${this.name} ${this.#help}`, `# TYPE ${this.name} histogram`];
    return [...head, ...[...this.#series].flatMap((each) => this.#lines(...each))].join('\n');
  }

  #lines(labelValues: string, { counts, sum }: Series): string[] {
    const values = labelValues.split(' ');
    const labels = this.#labels.map((name, i) => `${name}="${escaped(values[i] ?? '')}"`);
    let total = 0;
    const buckets = counts.map((count, i) => {
      const bound = `le="${BUCKETS[i] ?? '+Inf'}"`;
      return `${this.name}_bucket${braced([bound, ...labels])} ${(total += count)}`;
    });
    return [
      ...buckets,
      `${this.name}_sum${braced(labels)} ${sum}`,
      `${this.name}_count${braced(labels)} ${total}`,
    ];
  }
}

const braced = (labels: readonly string[]) => (labels.length === 0 ? '' : `{${labels.join(',')}}`);

const escaped = (value: string) =>
  value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
