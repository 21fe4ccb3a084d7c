/**
 * What makes a statement a prepared one of this name; nothing, where a pooler gives each transaction another
 * connection and knows no prepared statements.
 */
export type Named = (name: string) => { name?: string };
