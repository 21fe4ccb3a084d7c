import { parseAllDocuments } from 'yaml';

/** The documents of a YAML file. Throws for what is not YAML, and for a key that is given twice. */
export function parseYaml(text: string): unknown[] {
  return [...parseAllDocuments(text)].map((document) => {
    const [fault] = [...document.errors, ...document.warnings];
    if (fault) throw fault;
    return document.toJS() as unknown;
  });
}
