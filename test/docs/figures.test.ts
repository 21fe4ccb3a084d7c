import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { figure } from '../../bench/harness/bench.ts';
import { ASSUMED, mostPerDay, needsOf } from '../../bench/harness/capacity.ts';
import { readMeasured } from '../../bench/harness/measured.ts';
import { inWords } from '../../docs/generate/number-words.ts';
import { CHANNELS } from '../../src/channels/index.ts';
import { readSources } from '../support/sources.ts';

/*
 * A figure stated in several places is the same in all of them: the README repeats docs/performance.md and
 * docs/reliability.md, and saved measurements match bench/measured.json.
 */

const sources = readSources('*.md', 'docs/*.md', 'test/simulation/delivery.slow.test.ts');

const page = (path: string) => {
  const text = sources.get(path);
  assert.ok(text !== undefined, path);
  // Sentences are found across line breaks.
  return text.replaceAll(/\s+/g, ' ');
};

const number = (text: string | undefined) => Number((text ?? '').replaceAll(/[,_]/g, ''));

/** The numbers in a sentence or table row of a page. */
function figures(path: string, pattern: RegExp): number[] {
  const found = pattern.exec(page(path));
  assert.ok(found, `${path} has no ${String(pattern)}`);
  return found.slice(1).map(number);
}

/** The cells of a page's first row that starts with this cell. */
function row(path: string, first: string): string[] {
  const lines = (sources.get(path) ?? '').split('\n');
  const line = lines.find((each) => each.startsWith(`| ${first} |`));
  assert.ok(line !== undefined, `${path} has no row ${first}`);
  return line
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim());
}

const floor = (value: number, to: number) => Math.floor(value / to) * to;

describe('figures in the documentation', () => {
  it('README: throughput matches docs/performance.md', () => {
    const [accepted, percentage, delivered] = figures(
      'README.md',
      /accepts ([\d,]+) messages a second, (\d+) % .*? accepts and delivers ([\d,]+)/,
    );
    const [acceptedThere = '', , ratio] = row('docs/performance.md', 'accepted, embedded store');
    const [deliveredThere = ''] = row(
      'docs/performance.md',
      'accepted and delivered, embedded store',
    );
    assert.equal(accepted, floor(number(acceptedThere), 100));
    assert.equal(delivered, floor(number(deliveredThere), 100));
    assert.equal(percentage, floor(number(ratio) * 100, 10));
  });

  it('README: lost messages match docs/reliability.md', () => {
    const [accepted, kills] = figures('README.md', /accepted ([\d,]+) messages during (\d+) kills/);
    const command = '`fault:kill -- --nodes 3 --kills 200 --messages 100000` (PostgreSQL)';
    const [acceptedThere, killsThere = '', , lost] = row('docs/reliability.md', command);
    assert.deepEqual([accepted, kills], [number(acceptedThere), Number.parseInt(killsThere, 10)]);
    assert.equal(lost, '0');
  });

  it('README: the numbers of randomized scenarios and channels are correct', () => {
    const [scenarios] = figures('README.md', /and ([\d,]+) randomized scenarios/);
    assert.deepEqual(
      [scenarios],
      figures('test/simulation/delivery.slow.test.ts', /openInlineStore, runsOr\((\d+)\)/),
    );
    const count = `${inWords(CHANNELS.length)} channels`;
    assert.ok(page('README.md').includes(`[${count}]`), `run npm run docs: ${count}`);
  });

  it('docs/production.md: throughput and disk match docs/performance.md', () => {
    const [embedded, postgres, ...disk] = figures(
      'docs/production.md',
      /delivered ([\d,]+) messages a second on the embedded store and ([\d,]+) on.*?takes ([\d.]+) kB on the embedded store and ([\d.]+) kB/,
    );
    const measured = ['embedded store', 'PostgreSQL'].map((store) =>
      number(row('docs/performance.md', `accepted and delivered, ${store}`)[0]),
    );
    assert.deepEqual([embedded, postgres], measured);
    assert.deepEqual(
      disk,
      figures('docs/performance.md', /takes ([\d.]+) kB of disk .*? and ([\d.]+) kB on PostgreSQL/),
    );
  });

  it('docs/performance.md: saved figures match bench/measured.json', () => {
    const { throughput, limits, memory, nodes, growth } = readMeasured();
    for (const [first, rate] of Object.entries(throughput.rates)) {
      assert.equal(number(row('docs/performance.md', first)[0]), rate, first);
    }
    const there = (first: string, index: number) =>
      number(row('docs/performance.md', first)[index]);
    assert.deepEqual(
      [
        there('one lane, which sends one after the other', 1),
        there('one integration', 1),
        there('eight integrations of one application', 1),
      ],
      [limits.lane, limits.integration, limits.application].map(Math.round),
    );
    assert.deepEqual(
      [there('1', 1), there('1', 2)],
      [nodes.accept.node, nodes.accept.server].map((seconds) =>
        Number((seconds * 1000).toFixed(2)),
      ),
    );
    assert.equal(there('10,000,000', 5), Number((growth.wal / 1000).toFixed(1)));
    const [, kept] = figures(
      'docs/performance.md',
      /takes ([\d.]+) kB of disk .*? and ([\d.]+) kB on PostgreSQL/,
    );
    const bytes = memory.message + memory.attempt + memory.event;
    assert.equal(kept, Number((bytes / 1000).toFixed(1)));
  });

  it('docs/scaling.md: the model matches its calculation from bench/measured.json', () => {
    const measured = readMeasured();
    for (const million of [10, 100, 1_000]) {
      const needs = needsOf(million * 1e6, measured, ASSUMED);
      const cells = row('docs/scaling.md', million.toLocaleString('en-US')).slice(0, 6);
      const { rate, nodes, cores, wal, flushes, disk } = needs;
      const calculated = [rate, nodes, cores, wal / 1e6, flushes, disk / 1e12].map(figure);
      assert.deepEqual(cells.map(number), calculated.map(number), `${million} million a day`);
    }
    const [fits] = row('docs/scaling.md', 'as assumed');
    assert.equal(number(fits), number(figure(mostPerDay(measured, ASSUMED) / 1e6)));
  });
});
