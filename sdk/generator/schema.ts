/* Converts JSON Schema, as far as the service uses it, to TypeScript types. */

export interface Schema {
  $ref?: string;
  type?: string;
  title?: string;
  description?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  patternProperties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  examples?: readonly unknown[];
  default?: unknown;
}

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** The type as written inline. */
export function typeOf(schema: Schema, indent = ''): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if ('const' in schema) return literal(schema.const);
  if (schema.anyOf) {
    const types = new Set(schema.anyOf.map((branch) => typeOf(branch, indent)));
    // `string | ''` is just `string`.
    if (types.has('string')) types.delete("''");
    return [...types].join(' | ');
  }
  if (schema.type === 'array') {
    const item = typeOf(schema.items ?? {}, indent);
    return /^[\w.]+$/.test(item) ? `${item}[]` : `Array<${item}>`;
  }
  if (schema.type === 'object' && schema.properties) return membersOf(schema, indent);
  if (schema.type === 'object') {
    const [value = {}] = Object.values(schema.patternProperties ?? {});
    return `Record<string, ${typeOf(value, indent)}>`;
  }
  return PLAIN[schema.type ?? ''] ?? 'unknown';
}

/** The members of an object in braces, each with its description. */
export function membersOf({ properties = {}, required = [] }: Schema, indent = ''): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : literal(name);
    const mark = required.includes(name) ? '' : '?';
    return `${comment(docTextOf(schema), inner)}${inner}${key}${mark}: ${typeOf(schema, inner)};\n`;
  });
  return lines.length === 0 ? '{}' : `{\n${lines.join('')}${indent}}`;
}

/** A named type. */
export function declarationOf(name: string, schema: Schema): string {
  const head = comment(schema.description ?? '', '');
  return schema.type === 'object' && schema.properties
    ? `${head}export interface ${name} ${membersOf(schema)}\n`
    : `${head}export type ${name} = ${typeOf(schema)};\n`;
}

/** A doc comment; empty for an empty text. */
export function comment(text: string, indent: string): string {
  if (text === '') return '';
  const lines = wrap(text.replaceAll('*/', '*\u200B/'), 96 - indent.length);
  const [only] = lines;
  if (only !== undefined && lines.length === 1) return `${indent}/** ${only} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** The text of the doc comment. For a nullable schema it comes from the branch that has a description. */
function docTextOf(schema: Schema): string {
  const inner = schema.anyOf?.find((branch) => branch.description !== undefined) ?? {};
  const { description = '', examples, default: defaultValue } = { ...inner, ...schema };
  const [example] = examples ?? [];
  const sentences = [
    description,
    defaultValue === undefined ? '' : `Default: \`${JSON.stringify(defaultValue)}\`.`,
    typeof example === 'string' && examples?.length === 1 ? `Example: \`${example}\`` : '',
  ];
  return sentences.filter(Boolean).join(' ');
}

function literal(value: unknown): string {
  return typeof value === 'string'
    ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    : JSON.stringify(value);
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ')) {
      if (line !== '' && line.length + 1 + word.length > width) {
        lines.push(line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines;
}
