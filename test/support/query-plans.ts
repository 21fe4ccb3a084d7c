import { TABLES, inDatabase } from '../../src/store/tables.ts';

/** Tables that do not grow with tenants or messages: a scan of one costs nothing. */
const SMALL = new Set(['nodes', 'ring_marker']);

const GROWING = new Set(
  Object.keys(TABLES)
    .map(inDatabase)
    .filter((table) => !SMALL.has(table)),
);

/** Partial indexes that hold only what needs attention: going through one is going through little. */
const FEW = new Set([
  'jobs_open',
  'ownerships_failing',
  'ownerships_paused',
  'parts_pending',
  'users_by_password',
]);

/** Conditions that an index serves and that still hold for most rows of their table. */
const WEAK = [
  /ownerships_by_node \(node=\?\)/,
  /statistics_by_age \(step=\? AND at>\?/,
  /messages_by_application \(application_id=\?\)/,
];

/** What a plan of SQLite does that takes longer the more there is; `detail` are the lines of `explain query plan`. */
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

/** The growing tables that a statement names, each under its own name and its alias. */
function tablesIn(statement: string): Set<string> {
  const names = new Set<string>();
  const named = /\b(?:from|join|update|into)\s+"?(\w+)"?(?:\s+(?:as\s+)?"?(\w+)"?)?/g;
  for (const [, table = '', alias = ''] of statement.matchAll(named)) {
    if (!GROWING.has(table)) continue;
    names.add(table);
    names.add(alias);
  }
  return names;
}

/** A step of a plan of PostgreSQL, as `explain (format json)` tells it. */
export interface Plan {
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Node Type': string;
  Plans?: Plan[];
}

/** Steps that are about rows that another step has found. */
const FOUND = ['ModifyTable', 'Bitmap Heap', 'Tid Scan'];

/** The same for a plan of PostgreSQL. */
export function slowNodes(plan: Plan): string[] {
  const { 'Relation Name': relation, 'Index Name': index, 'Node Type': type } = plan;
  const table = (relation ?? '').replace(/_(open|rest|\d{10})$/, '');
  const isScan = GROWING.has(table) && !FOUND.some((found) => type.startsWith(found));
  const isSlow = isScan && plan['Index Cond'] === undefined && !FEW.has(index ?? '');
  const own = isSlow ? [`${type} of ${relation}${index ? ` by ${index}` : ''}`] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(slowNodes)];
}
