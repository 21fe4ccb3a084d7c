import type { TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import { Settings } from 'typebox/system';

import { type FieldError, invalidFields, pointerToken } from '../../model/problem.ts';

type SchemaError = ReturnType<ReturnType<typeof Compile>['Errors']>[1][number];

// TypeBox counts every branch of a union against its own limit.
Settings.Set({ maxErrors: 200 });

/** Enough to fix a request, without echoing a body full of mistakes. */
const MAX_ERRORS = 20;

const CLEARING_BRANCHES = new Set(['must be null', 'must be ""']);

/**
 * Creates the validator of a body, which throws a Problem with the errors. It is compiled on first use, because
 * compiling all of them would slow down the start.
 */
export function bodyCheck(schema: TSchema): (body: unknown) => void {
  let validator: ReturnType<typeof Compile> | undefined;
  return (body) => {
    validator ??= Compile(schema);
    if (validator.Check(body)) return;
    const [, errors] = validator.Errors(body);
    throw invalidFields(...fieldErrors(errors));
  };
}

function fieldErrors(errors: SchemaError[]): FieldError[] {
  const byPointer = new Map<string, Set<string>>();
  for (const error of errors) {
    for (const { pointer, detail } of describe(error)) {
      byPointer.set(pointer, (byPointer.get(pointer) ?? new Set()).add(detail));
    }
  }
  return [...byPointer]
    .slice(0, MAX_ERRORS)
    .map(([pointer, details]) => ({ pointer, detail: alternatives(details).join(' or ') }));
}

/** Omits the alternatives that only clear a field: they do not help a caller with a wrong value. */
function alternatives(details: ReadonlySet<string>): string[] {
  const values = [...details].filter((detail) => !CLEARING_BRANCHES.has(detail));
  return values.length > 0 ? values : [...details];
}

function describe({ keyword, instancePath, params, message }: SchemaError): FieldError[] {
  const at = (detail: string): FieldError[] => [{ pointer: instancePath, detail }];
  const { requiredProperties, additionalProperties, allowedValues, limit, pattern, type } =
    params as {
      requiredProperties?: string[];
      additionalProperties?: string[];
      allowedValues?: unknown[];
      limit?: number;
      pattern?: string;
      type?: string;
    };
  switch (keyword) {
    case 'required':
      return (requiredProperties ?? []).map((name) => ({
        pointer: `${instancePath}/${name}`,
        detail: 'is required',
      }));
    // The branches report themselves; BigInt is internal.
    case 'anyOf':
      return [];
    case 'type':
      return type === 'bigint' ? [] : at(`must be ${type === 'null' ? 'null' : withArticle(type)}`);
    case 'enum':
      return at(
        `must be ${(allowedValues ?? []).map((value) => JSON.stringify(value)).join(' or ')}`,
      );
    case 'const':
      return at(`must be ${JSON.stringify((params as { allowedValue?: unknown }).allowedValue)}`);
    case 'additionalProperties':
      return (additionalProperties ?? []).map((name) => ({
        pointer: `${instancePath}/${pointerToken(name)}`,
        detail: 'is not a known field',
      }));
    case 'pattern':
      return at(`must match ${pattern}`);
    case 'minLength':
      return at(limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`);
    case 'maxLength':
      return at(`must have at most ${limit} characters`);
    default:
      return at(message);
  }
}

function withArticle(type: string | undefined): string {
  return `${type && /^[aeio]/.test(type) ? 'an' : 'a'} ${type}`;
}
