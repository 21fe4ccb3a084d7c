/** The name of a prepared statement; none if a transaction pooler is in use, which may not support them. */
export type StatementName = (name: string) => { name?: string };
