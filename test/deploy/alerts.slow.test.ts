import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import dashboard from '../../deploy/grafana/switchboard.json' with { type: 'json' };
import { METRICS } from '../../src/http/metrics/metric-table.ts';
import { type Family, parsePrometheus } from '../support/prometheus.ts';
import { requirement } from '../support/requirement.ts';
import { openWebhookDelivery } from '../support/service/delivery.ts';
import { ROOT, readSources } from '../support/sources.ts';
import { parseYaml } from '../support/yaml.ts';

interface Alert {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

const RULES = 'deploy/prometheus/alerts.yml';
const text = [...readSources(RULES).values()][0] ?? '';
const [{ groups }] = parseYaml(text) as [{ groups: { rules: Alert[] }[] }];
const alerts = groups.flatMap(({ rules }) => rules);

const panels = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, expr })),
);

const EXPRESSIONS = [
  ...alerts.map(({ alert, expr }) => ({ title: alert, expr })),
  ...panels,
] as const;

/** Metrics that Prometheus itself adds to every target. */
const ADDED = ['instance', 'job'];

/** The metrics in an expression with their labels. */
function selectorsIn(expression: string): { name: string; labels: string[] }[] {
  const found = expression.matchAll(/\b((?:switchboard|process|nodejs)_\w+)(?:\{([^}]*)\})?/g);
  return [...found].map(([, name = '', matchers = '']) => ({
    name,
    labels: [...matchers.matchAll(/(\w+)\s*[=!]~?/g)].map(([, label = '']) => label),
  }));
}

describe('alerts and dashboard', () => {
  it('alerts and dashboard use existing metrics and labels only', async () => {
    const families = new Map<string, Family>();
    for (const engine of ['sqlite', 'postgres'] as const) {
      await using sb = await openWebhookDelivery(engine);
      await sb.settled(await sb.send('one', 'ada'));
      const reply = await sb.service.as(undefined).get('/metrics');
      for (const [name, family] of parsePrometheus(reply.text).families) families.set(name, family);
    }
    const declared = new Map<string, readonly string[]>(
      Object.values(METRICS).map(({ name, labels }) => [name, labels]),
    );
    let count = 0;
    for (const { title, expr } of EXPRESSIONS) {
      const selectors = selectorsIn(expr);
      assert.ok(selectors.length > 0, `${title} names no metric`);
      for (const { name, labels } of selectors) {
        const histogram = name.replace(/_(bucket|sum|count)$/, '');
        const isPart = families.get(histogram)?.type === 'histogram' && histogram !== name;
        const family = isPart ? histogram : name;
        assert.ok(families.has(family), `${title}: ${name} does not exist`);
        assert.ok(isPart || families.get(name)?.type !== 'histogram', `${title}: ${name}`);
        const own = declared.get(family) ?? [...(families.get(family)?.labels ?? [])];
        const unknown = labels.filter((label) => ![...own, ...ADDED].includes(label));
        assert.deepEqual(unknown, [], `${title}: ${name}`);
        count++;
      }
    }
    assert.ok(count > 40);
  });

  it('alerts and dashboard use each of our metrics somewhere', () => {
    const named = new Set(
      EXPRESSIONS.flatMap(({ expr }) => selectorsIn(expr)).map(({ name }) => name),
    );
    const shown = (name: string) =>
      named.has(name) || named.has(`${name}_count`) || named.has(`${name}_bucket`);
    const missing = Object.values(METRICS).filter(({ name }) => !shown(name));
    assert.deepEqual(
      missing.map(({ name }) => name),
      [],
    );
  });

  it('alerts and dashboard never sum a value that every node reports alike', () => {
    const ofStore = Object.values(METRICS).filter(({ of }) => of === 'store');
    for (const { title, expr } of EXPRESSIONS) {
      for (const { name } of ofStore) {
        for (const [use] of expr.matchAll(new RegExp(`.{0,40}\\b${name}\\b`, 'gs'))) {
          assert.match(use, /max(?: by \([a-z, ]+\) )?\([^(]*$/, `${title}: ${use}`);
        }
      }
    }
  });
});

describe('each alert', () => {
  const runbook = readSources('docs/production.md').get('docs/production.md') ?? '';

  it('each alert has a severity, a description and its place in the runbook', () => {
    assert.ok(alerts.length > 10);
    assert.equal(new Set(alerts.map(({ alert }) => alert)).size, alerts.length);
    for (const { alert, labels, annotations } of alerts) {
      assert.match(alert, /^Switchboard[A-Z]\w+$/);
      assert.ok(['warning', 'critical'].includes(labels.severity), alert);
      assert.match(annotations.summary, /\.$/, alert);
      const anchor = /^docs\/production\.md#(\w+)$/.exec(annotations.runbook)?.[1];
      const headings = [...runbook.matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name);
      assert.ok(
        headings.some((name) => name.toLowerCase() === anchor),
        `${alert}: ${anchor}`,
      );
    }
  });

  it('each alert in the runbook exists', () => {
    const described = [...runbook.matchAll(/^### (Switchboard\w+)$/gm)].map(
      ([, name = '']) => name,
    );
    for (const name of described)
      assert.ok(
        alerts.some(({ alert }) => alert === name),
        name,
      );
  });
});

const promtool = requirement('promtool', 'apt-get install prometheus');

describe('Prometheus', { skip: promtool.skip }, () => {
  const run = (...args: string[]) =>
    execFileSync(promtool.path ?? '', args, { cwd: ROOT, stdio: 'pipe' });

  it('accepts the alerts', () => {
    run('check', 'rules', RULES);
  });

  it('fires the alerts when it should and only then', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-rules-'));
    try {
      const rules = structuredClone(alerts);
      for (const { annotations } of rules) {
        const values = [...annotations.summary.matchAll(/\{\{.*?\}\}/g)].map(([value]) => value);
        annotations.summary = values.join(' ');
      }
      writeFileSync(
        join(folder, 'alerts.yml'),
        JSON.stringify({ groups: [{ name: 'switchboard', rules }] }),
      );
      const raised = join(folder, 'raised.yml');
      copyFileSync(join(ROOT, 'test/deploy/alerts-raised.yml'), raised);
      run('test', 'rules', raised);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('accepts each expression of the dashboard', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-rules-'));
    try {
      const rules = panels.map(({ expr }, i) => ({
        record: `panel:${i}`,
        expr: expr.replaceAll('$__rate_interval', '5m'),
      }));
      const file = join(folder, 'rules.yml');
      // JSON is also YAML.
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
      run('check', 'rules', file);
      writeFileSync(
        file,
        JSON.stringify({ groups: [{ name: 'x', rules: [{ record: 'x', expr: 'sum(' }] }] }),
      );
      assert.throws(() => run('check', 'rules', file));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
