import { readFile } from 'node:fs/promises';

import { ROOT } from '../manual.ts';

/* The parts of the OpenAPI document that the reference shows. */

export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  title?: string;
  description?: string;
  format?: string;
  const?: unknown;
  enum?: readonly unknown[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  anyOf?: readonly Schema[];
  additionalProperties?: Schema | boolean;
  patternProperties?: Readonly<Record<string, Schema>>;
  readOnly?: boolean;
  writeOnly?: boolean;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}

type Content = Readonly<
  Record<
    string,
    { schema?: Schema; example?: unknown; examples?: Readonly<Record<string, unknown>> }
  >
>;

export interface Response {
  $ref?: string;
  description?: string;
  content?: Content;
}

export interface Operation {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description: string;
  security: readonly Readonly<Record<string, unknown>>[];
  parameters: readonly Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Readonly<Record<string, Response>>;
}

/** An operation with its place in the document. */
export interface Endpoint {
  method: string;
  path: string;
  operation: Operation;
}

export interface Document {
  info: { version: string; description: string };
  tags: readonly { name: string; description: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  webhooks: Readonly<Record<string, { post: Operation }>>;
  components: {
    schemas: Readonly<Record<string, Schema>>;
    responses: Readonly<Record<string, Response>>;
  };
}

/** Written by `npm run docs`. */
export async function readOpenApi(): Promise<Document> {
  return JSON.parse(await readFile(new URL('sdk/openapi.json', ROOT), 'utf8')) as Document;
}

export function endpointsOf({ paths }: Document): Endpoint[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

/** The kinds of callers that an operation accepts. */
export const callersOf = ({ security }: Operation): ReadonlySet<string> =>
  new Set(security.flatMap((one) => Object.keys(one)));

/** Name of a referenced component. */
export const nameOf = (reference: string): string => reference.split('/').at(-1) ?? '';

export function resolve(document: Document, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = document.components.schemas[nameOf(schema.$ref)];
  if (!found) throw new Error(`unknown schema ${schema.$ref}`);
  // A description beside a reference is about this use.
  return schema.description === undefined ? found : { ...found, description: schema.description };
}
