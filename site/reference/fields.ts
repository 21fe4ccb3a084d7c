import { escape, inline } from '../html.ts';
import { type Document, type Parameter, type Schema, nameOf, resolve } from './document.ts';

/* The fields of a schema: those of the object are visible, nested ones unfold. */

const MAX_DEPTH = 5;

export function parameterList(document: Document, parameters: readonly Parameter[]): string {
  const items = parameters.map(({ name, required, description, schema }) => {
    const field = { ...schema, ...(description !== undefined && { description }) };
    return fieldItem(document, name, field, required === true, []);
  });
  return `<ul class="fields">${items.join('')}</ul>`;
}

/** The fields of an object, or a description of any other value. */
export function fieldList(
  document: Document,
  schema: Schema,
  path: readonly string[] = [],
): string {
  const resolved = resolve(document, schema);
  const here = schema.$ref === undefined ? path : [...path, nameOf(schema.$ref)];
  if (!resolved.properties) return `<p>${valueWords(document, resolved)}</p>`;
  const required = new Set(resolved.required);
  const items = Object.entries(resolved.properties).map(([name, field]) =>
    fieldItem(document, name, field, required.has(name), here),
  );
  return `<ul class="fields">${items.join('')}</ul>`;
}

function fieldItem(
  document: Document,
  name: string,
  schema: Schema,
  isRequired: boolean,
  path: readonly string[],
): string {
  const resolved = resolve(document, schema);
  const required = isRequired ? ' <span class="required">required</span>' : '';
  const notes = [
    resolved.readOnly ? 'Read-only.' : '',
    resolved.writeOnly ? 'Write-only.' : '',
    resolved.default === undefined ? '' : `Default: \`${JSON.stringify(resolved.default)}\`.`,
  ].filter((note) => note !== '');
  const words = [resolved.description ?? '', ...notes].join(' ').trim();
  return `<li><code>${escape(name)}</code> <span class="type">${valueWords(document, schema)}</span>${required}${words === '' ? '' : `<p>${inline(words)}</p>`}${nested(document, schema, path)}</li>`;
}

/** The objects within a field, folded. */
function nested(document: Document, schema: Schema, path: readonly string[]): string {
  const inner = objectsIn(document, schema).filter(
    ({ $ref = '' }) => $ref === '' || !path.includes(nameOf($ref)),
  );
  if (inner.length === 0 || path.length >= MAX_DEPTH) return '';
  return inner
    .map((one) => {
      const { properties = {} } = resolve(document, one);
      const count = Object.keys(properties).length;
      const title = one.$ref === undefined ? '' : ` of ${nameOf(one.$ref)}`;
      const at = [...path, one.$ref === undefined ? '' : nameOf(one.$ref)];
      const list = fieldList(document, one, one.$ref === undefined ? at : path);
      return `<details><summary>${count === 1 ? '1 field' : `${count} fields`}${escape(title)}</summary>${list}</details>`;
    })
    .join('');
}

function objectsIn(document: Document, schema: Schema): Schema[] {
  const resolved = resolve(document, schema);
  if (resolved.properties) return [schema];
  if (resolved.items) return objectsIn(document, resolved.items);
  if (typeof resolved.additionalProperties === 'object') {
    return objectsIn(document, resolved.additionalProperties);
  }
  return (resolved.anyOf ?? []).flatMap((branch) => objectsIn(document, branch));
}

/** The kind of a value in a few words. */
function valueWords(document: Document, schema: Schema): string {
  const { type, anyOf, items, format, ...rest } = resolve(document, schema);
  if (rest.const !== undefined) return `<code>${escape(JSON.stringify(rest.const))}</code>`;
  if (rest.enum) {
    return `one of ${rest.enum.map((value) => `<code>${escape(String(value))}</code>`).join(' ')}`;
  }
  if (anyOf) {
    const branches = anyOf.map((branch) => valueWords(document, branch));
    const literals = anyOf.every((branch) => branch.const !== undefined);
    return literals ? `one of ${branches.join(' ')}` : [...new Set(branches)].join(' or ');
  }
  if (items) return `array of ${valueWords(document, items)}${boundsOf(schema)}`;
  const names = Array.isArray(type) ? type.join(' or ') : String(type ?? 'any value');
  return `${escape(names)}${format === undefined ? '' : ` (${escape(format)})`}${boundsOf(rest)}`;
}

function boundsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  return (
    rangeWords(minimum, maximum, '') +
    rangeWords(minLength, maxLength, ' characters') +
    rangeWords(minItems, maxItems, ' items')
  );
}

/** Bounds of int64 say nothing to readers. */
const isTelling = (bound: number | undefined): bound is number =>
  bound !== undefined && Math.abs(bound) < 2 ** 52;

function rangeWords(low: number | undefined, high: number | undefined, unit: string): string {
  const number = (value: number) => value.toLocaleString('en-US') + unit;
  if (isTelling(high)) {
    return isTelling(low) ? `, ${low} to ${number(high)}` : `, at most ${number(high)}`;
  }
  return isTelling(low) && low !== 0 ? `, at least ${number(low)}` : '';
}
