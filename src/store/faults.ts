/** The store cannot take or give anything for now. What was answered before is safe. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}

/** The schema cannot be brought up to date as things are, in words for the operator. */
export class MigrationRefused extends Error {
  override name = 'MigrationRefused';
}

/** A record with the same unique value is there already. */
export class Conflict extends Error {
  override name = 'Conflict';
}

/** The user owns their team, which must keep an owner who can act. */
export class OwnsTeam extends Error {
  override name = 'OwnsTeam';
}

/** The idempotency key was used before: the request's answer is already recorded. */
export class AlreadyAnswered extends Error {
  override name = 'AlreadyAnswered';
}

// https://www.sqlite.org/rescode.html: CORRUPT, NOTADB; BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN
const SQLITE_DAMAGED = new Set([11, 26]);
const SQLITE_CODES = new Set([5, 6, 7, 8, 10, 13, 14, ...SQLITE_DAMAGED]);

// https://www.postgresql.org/docs/current/errcodes-appendix.html: connection exceptions, invalid transaction state
// (read-only), transaction rollback, insufficient resources, operator intervention, system errors; and the socket's own.
const POSTGRES_CLASSES = new Set(['08', '25', '40', '53', '57', '58']);
const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
const CLIENT_WORDS =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout/;

/** Whether an error means that the store is out of reach or out of room, rather than a bug of ours. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true;
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number')
    return SQLITE_CODES.has(errcode & 0xff);
  if (typeof code === 'string') {
    return SOCKET_CODES.has(code) || (code.length === 5 && POSTGRES_CLASSES.has(code.slice(0, 2)));
  }
  return CLIENT_WORDS.test(error.message);
}

/** Whether the file of the embedded store is damaged, or is no database. */
export function isDamaged(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' && SQLITE_DAMAGED.has(errcode & 0xff);
}

// Of SQLite: TOOBIG, CONSTRAINT, MISMATCH. Of PostgreSQL: data exceptions, constraints, limits exceeded.
const SQLITE_CONTENT = new Set([18, 19, 20]);
const POSTGRES_CONTENT = new Set(['22', '23', '54']);

/**
 * Whether the database refused what it was given, and so has surely not stored it. Of any other error
 * that cannot be said: the answer may have been lost after the commit.
 */
export function isRefused(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (typeof errcode === 'number') return SQLITE_CONTENT.has(errcode & 0xff);
  return typeof code === 'string' && code.length === 5 && POSTGRES_CONTENT.has(code.slice(0, 2));
}

const SQLITE_UNIQUE = 2067;
const POSTGRES_UNIQUE = '23505';

/** Whether a unique value was taken already. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return errcode === SQLITE_UNIQUE || code === POSTGRES_UNIQUE;
}
