import { TABLES, inDatabase } from '../../../src/store/tables.ts';

/** Tables that do not grow with tenants or messages, so that a scan is cheap. */
const SMALL = new Set(['nodes', 'ring_marker']);

const GROWING = new Set(
  Object.keys(TABLES)
    .map(inDatabase)
    .filter((table) => !SMALL.has(table)),
);

/** Views, and the table that plans name in their place. */
const VIEWS: Readonly<Record<string, string>> = {
  messages: 'outbox',
  webhook_deliveries: 'outbox',
};

/** Partial indexes with few entries, so that reading a whole one is cheap. */
const FEW = new Set([
  'contact_imports_open',
  'erasures_open',
  'jobs_open',
  'ownerships_failing',
  'ownerships_not_receiving',
  'ownerships_paused',
  'parts_pending',
  'users_by_password',
]);

/** Index conditions that can match most rows of their table. */
const WEAK = [
  /ownerships_by_node \(node=\?\)/,
  /statistics_by_age \(step=\? AND at>\?/,
  /outbox_by_application \(application_id=\?\)/,
];

/** The steps of a SQLite plan whose cost grows with the table; `details` are the lines of `explain query plan`. */
export function slowSteps(statement: string, details: readonly string[]): string[] {
  const tables = tablesIn(statement);
  const isBounded = /\blimit\b/.test(statement);
  return details.filter((detail) => {
    if (/^USE TEMP B-TREE|AUTOMATIC/.test(detail)) return tables.size > 0;
    if (WEAK.some((pattern) => pattern.test(detail))) return !isBounded;
    const [, name = '', index = ''] = /^SCAN (\w+)(?: USING .*INDEX (\w+))?/.exec(detail) ?? [];
    return tables.has(name) && !FEW.has(index);
  });
}

/** The growing tables that a statement names, by name and by alias. */
function tablesIn(statement: string): Set<string> {
  const names = new Set<string>();
  const named = /\b(?:from|join|update|into)\s+"?(\w+)"?(?:\s+(?:as\s+)?"?(\w+)"?)?/g;
  for (const [, name = '', alias = ''] of statement.matchAll(named)) {
    const table = VIEWS[name] ?? name;
    if (!GROWING.has(table)) continue;
    names.add(table);
    names.add(alias);
  }
  return names;
}

/** A step of a PostgreSQL plan, from `explain (format json)`. */
export interface Plan {
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Node Type': string;
  Plans?: Plan[];
}

/** Steps that use rows found by another step. */
const FOUND = ['ModifyTable', 'Bitmap Heap', 'Tid Scan'];

/** The same for a PostgreSQL plan. */
export function slowNodes(plan: Plan): string[] {
  const { 'Relation Name': relation, 'Index Name': index, 'Node Type': type } = plan;
  const table = (relation ?? '').replace(/_(open|rest|\d{10})$/, '');
  const isScan = GROWING.has(table) && !FOUND.some((found) => type.startsWith(found));
  const isSlow = isScan && plan['Index Cond'] === undefined && !FEW.has(index ?? '');
  const own = isSlow ? [`${type} of ${relation}${index ? ` by ${index}` : ''}`] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(slowNodes)];
}
