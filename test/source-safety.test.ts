import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type Token, readSources, tokensOf } from './support/sources.ts';

const files = [...readSources('src/**/*.ts')]
  .filter(([path]) => !path.endsWith('.test.ts'))
  .map(([path, text]) => ({ path, tokens: tokensOf(text) }));

const QUANTIFIER = /[*+?]|\{\d+(?:,\d*)?\}/y;

/**
 * Whether a pattern has nested unbounded repetition, such as `(a+)*`: on a text that almost matches, the time
 * doubles with every character.
 */
function canRunAway(pattern: string): boolean {
  // For each open group: whether its content varies in length.
  const open: boolean[] = [false];
  const vary = () => (open[open.length - 1] = true);
  for (let at = 0; at < pattern.length;) {
    const char = pattern[at];
    let closed: boolean | undefined;
    if (char === '(') {
      open.push(false);
      at++;
      continue;
    }
    if (char === ')') {
      closed = open.pop() ?? false;
      if (closed) vary();
      at++;
    } else if (char === '\\') at += 2;
    else if (char === '[') at = endOfClass(pattern, at);
    else at++;
    QUANTIFIER.lastIndex = at;
    const [quantifier] = QUANTIFIER.exec(pattern) ?? [];
    if (quantifier === undefined) continue;
    at += quantifier.length;
    if (pattern[at] === '?') at++;
    const endless = /^[*+]|,\}$/.test(quantifier);
    if (endless && closed) return true;
    if (endless || /^\{\d+,\d+\}$/.test(quantifier)) vary();
  }
  return false;
}

function endOfClass(pattern: string, start: number): number {
  for (let at = start + 1; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === ']') return at + 1;
  }
  return pattern.length;
}

const SCHEMA_PATTERN = /\b(?:pattern: |new RegExp\()$/;

/** Every regular expression in a source, including those in schemas. */
function patternsIn(tokens: readonly Token[]): string[] {
  return tokens.flatMap(({ kind, text }, i) => {
    if (kind === 'pattern') return [text.slice(1, text.lastIndexOf('/'))];
    const before = tokens[i - 1]?.text ?? '';
    if (kind === 'code' || !SCHEMA_PATTERN.test(before)) return [];
    return [text.slice(1, -1).replaceAll('\\\\', '\\')];
  });
}

const SQL =
  /^.\s*(?:select|insert|update|delete|with|create|alter|drop|pragma|begin|grant|truncate|where|order by)\b/i;
const TAGGED = /\bsql(?:<[^`]*>)?$/;
const RAW = /\b(?:sql\s*\.\s*(?:raw|unsafe)|CompiledQuery\s*\.\s*raw)\s*\(/;
const RUNS_SQL = /\.\s*(?:query|exec|prepare)(?:<[^()]*>)?\(\s*$/;

/** Kysely methods that write their argument into the statement, quoted. Only for constants, by value or by type. */
const LITERAL = /\bsql\s*\.\s*lit(?:eral)?\(\s*(?<name>[\w.]*)/g;
const CONSTANT_BY_TYPE = ['state'];

/** Statements that are concatenated, which is how values become SQL. */
function builtStatements(tokens: readonly Token[]): string[] {
  return tokens.flatMap(({ kind, text }, i) => {
    if (kind === 'comment' || kind === 'pattern') return [];
    const [before, after] = [tokens[i - 1], tokens[i + 1]];
    if (kind !== 'string' && (RAW.test(text) || hasOpenLiteral(text, after))) return [text];
    if (kind === 'code') return [];
    if (!SQL.test(text) && !RUNS_SQL.test(before?.text ?? '')) return [];
    const joined =
      /\+=?\s*$/.test(before?.text ?? '') ||
      /^\s*(?:\+|\.concat\b|\.replace)/.test(after?.text ?? '');
    const filled = kind === 'template' && text.includes('${') && !TAGGED.test(before?.text ?? '');
    return joined || filled ? [text] : [];
  });
}

function hasOpenLiteral(text: string, after: Token | undefined): boolean {
  return [...text.matchAll(LITERAL)].some(({ groups }) => {
    const name = groups?.['name'] ?? '';
    return name === '' ? after?.kind !== 'string' : !CONSTANT_BY_TYPE.includes(name);
  });
}

describe('regular expressions in the source', () => {
  it('regular expressions in the source have no catastrophic backtracking', () => {
    const all = files.flatMap(({ path, tokens }) =>
      patternsIn(tokens).map((pattern) => ({ path, pattern })),
    );
    assert.ok(all.length > 40, 'the expressions were not found');
    assert.deepEqual(
      all.filter(({ pattern }) => canRunAway(pattern)),
      [],
    );
  });

  it('regular expressions in the source with catastrophic backtracking are detected', () => {
    for (const pattern of [
      '(a+)+',
      '^(\\d+)*$',
      '(?:a*)*',
      '([a-z]+\\s?)+$',
      '((ab)*c?){2,}',
      '(?<name>x|y+)+',
      '(a{1,5})*',
      '(.*,)*',
      '([^)(]+)+?',
      '(?:(?:a+)b)+',
    ]) {
      assert.equal(canRunAway(pattern), true, pattern);
    }
    for (const pattern of [
      'a+b*',
      '(ab)+',
      '(a+)?',
      '(a?)b+',
      '[(a+)*]+',
      '\\(a+\\)+',
      '([+*]x)*',
      '(\\d{4})+',
      '(a+){2}',
      '^(T\\d{2}(:\\d{2})?)?$',
    ]) {
      assert.equal(canRunAway(pattern), false, pattern);
    }
  });

  it('regular expressions in the source are found wherever they are written', () => {
    const source = [
      'const a = /(a+)+/i;',
      "x.replace(/[/]'/g, '') / 2 / 3;",
      "Type.String({ pattern: '^(\\\\d+)*$' });",
      'new RegExp(`(b+)+`);',
      '// not /here/',
      "const url = 'http://not/here/';",
    ].join('\n');
    assert.deepEqual(patternsIn(tokensOf(source)), ['(a+)+', "[/]'", '^(\\d+)*$', '(b+)+']);
  });
});

/** Statements with two forms, both built when the module loads: the parts in which they differ. */
const FORMS: Readonly<Record<string, RegExp>> = {
  'src/store/postgres/settle.ts': /^health\.(?:lock|count|events|type|data)$/,
  'src/store/postgres/accept.ts': /^routed$/,
};

describe('SQL in the source', () => {
  it('SQL in the source is never concatenated', () => {
    const store = files.filter(({ path }) => path.startsWith('src/store/'));
    assert.ok(store.length > 15);
    assert.ok(
      store.some(({ tokens }) => tokens.some(({ text }) => SQL.test(text))),
      'no SQL was found',
    );
    const built = store.flatMap(({ path, tokens }) =>
      builtStatements(tokens).map((statement) => ({ path, statement })),
    );
    // Named constants and their members, and the parts in which forms of one statement differ.
    const isConstant = ({ path, statement }: (typeof built)[number]) => {
      const names = [...statement.matchAll(/\$\{([^}]*)\}/g)].map(([, name = '']) => name);
      const isForm = (name: string) => FORMS[path]?.test(name) === true;
      const isNamed = (name: string) => /^[A-Z][A-Z_]+(?:\.\w+)?$/.test(name);
      if (names.length === 0) return false;
      return names.every((name) => isNamed(name) || isForm(name));
    };
    assert.deepEqual(
      built.filter((one) => !isConstant(one)),
      [],
    );
  });

  it('SQL in the source is used in the store only', () => {
    const databaseImport = /^'(?:kysely(?:\/.*)?|pg|node:sqlite)'$/;
    const databaseFiles = files.filter(({ tokens }) =>
      tokens.some(({ text }) => databaseImport.test(text)),
    );
    assert.ok(databaseFiles.length > 5);
    for (const { path } of databaseFiles) assert.match(path, /^src\/store\//);
  });

  it('SQL in the source that is concatenated is detected', () => {
    for (const source of [
      'db.exec(`delete from ${table}`);',
      'const TEXT = `\n  select * from messages where id = ${id}`;',
      "const text = 'select * from messages where id = ' + id;",
      "text += 'where state = ' + state;",
      "statement + ' order by ' + column;",
      'pool.query(`vacuum ${table}`);',
      "pool.query<Row>('vacuum ' + table);",
      "db.prepare('vacuum $table'.replace('$table', table));",
      'sql`select ${sql.raw(column)} from messages`;',
      "query.where('id', '=', sql.lit(id));",
      'query.where(column, "=", sql.lit(`${id}`));',
      'await CompiledQuery.raw(text);',
      'db.prepare(`\n  insert into a values (${value})`);',
    ]) {
      assert.equal(builtStatements(tokensOf(source)).length > 0, true, source);
    }
    for (const source of [
      'await sql`delete from messages where id = ${id}`.execute(db);',
      'sql<{ last: number }>`update a set b = ${b} returning last`;',
      "db.exec('pragma foreign_keys = on');",
      "query.where('state', '=', sql.lit('queued'));",
      'const TEXT = `select * from messages`;\ndb.prepare(TEXT);',
      'throw new Error(`the store ${name} is not there`);',
    ]) {
      assert.deepEqual(builtStatements(tokensOf(source)), [], source);
    }
  });
});
