import { createRequire } from 'node:module';

interface Yaml {
  parseAllDocuments(text: string): Iterable<{
    errors: readonly Error[];
    warnings: readonly Error[];
    toJS(): unknown;
  }>;
}

/** It comes with a package that tests use, and is looked for from there. */
const require = createRequire(import.meta.resolve('@seriousme/openapi-schema-validator'));

/** The documents of a YAML file. Throws for what is not YAML, and for a key that is given twice. */
export function parseYaml(text: string): unknown[] {
  const { parseAllDocuments } = require('yaml') as Yaml;
  return [...parseAllDocuments(text)].map((document) => {
    const [fault] = [...document.errors, ...document.warnings];
    if (fault) throw fault;
    return document.toJS();
  });
}
