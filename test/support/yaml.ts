import { parseAllDocuments } from 'yaml';

/** The documents of a YAML file. Throws on invalid YAML and on duplicate keys. */
export function parseYaml(text: string): unknown[] {
  return [...parseAllDocuments(text)].map((document) => {
    const [fault] = [...document.errors, ...document.warnings];
    if (fault) throw fault;
    return document.toJS() as unknown;
  });
}
