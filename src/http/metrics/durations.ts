/*
 * A duration histogram for the registry of prom-client. The library's own looks up its labels for every
 * observation, which is a noticeable share of the cost of accepting a message.
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

  reset(): void {
    this.#series.clear();
  }

  get(): Promise<{
    name: string;
    help: string;
    type: 'histogram';
    values: object[];
    aggregator: 'sum';
  }> {
    const values = [...this.#series].flatMap(([written, series]) => this.#values(written, series));
    return Promise.resolve({
      name: this.name,
      help: this.#help,
      type: 'histogram',
      values,
      aggregator: 'sum',
    });
  }

  #values(written: string, { counts, sum }: Series): object[] {
    const given = written.split(' ');
    const labels = Object.fromEntries(this.#labels.map((name, i) => [name, given[i]]));
    let total = 0;
    const buckets = counts.map((count, i) => ({
      metricName: `${this.name}_bucket`,
      labels: { le: BUCKETS[i] ?? '+Inf', ...labels },
      value: (total += count),
    }));
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: total },
    ];
  }
}
