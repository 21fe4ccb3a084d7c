/** The store is temporarily unavailable. Everything that was acknowledged is safe. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}

/** The schema cannot be migrated now; the message is for the operator. */
export class MigrationRefused extends Error {
  override name = 'MigrationRefused';
}

/** A record with the same unique value already exists. */
export class Conflict extends Error {
  override name = 'Conflict';
}

/** The user owns the team, and a team needs an enabled owner. */
export class OwnsTeam extends Error {
  override name = 'OwnsTeam';
}

/** The idempotency key was used before: the response is already recorded. */
export class AlreadyAnswered extends Error {
  override name = 'AlreadyAnswered';
}

// https://www.sqlite.org/rescode.html: CORRUPT, NOTADB; BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN
const SQLITE_DAMAGED = new Set([11, 26]);
const SQLITE_CODES = new Set([5, 6, 7, 8, 10, 13, 14, ...SQLITE_DAMAGED]);

// https://www.postgresql.org/docs/current/errcodes-appendix.html: connection exceptions, invalid transaction state
// (read-only), transaction rollback, insufficient resources, operator intervention, system errors; and socket errors.
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

/** Whether an error means that the store is unreachable or full, rather than a bug. */
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

/** Whether the file of the embedded store is damaged or not a database. */
export function isDamaged(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' && SQLITE_DAMAGED.has(errcode & 0xff);
}

// SQLite: TOOBIG, CONSTRAINT, MISMATCH. PostgreSQL: data exceptions, constraint violations, limits exceeded.
const SQLITE_CONTENT = new Set([18, 19, 20]);
const POSTGRES_CONTENT = new Set(['22', '23', '54']);

/**
 * Whether the database rejected the data, so that it certainly was not stored. After any other error it may have
 * been: the response may be lost after the commit.
 */
export function isRefused(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (typeof errcode === 'number') return SQLITE_CONTENT.has(errcode & 0xff);
  return typeof code === 'string' && code.length === 5 && POSTGRES_CONTENT.has(code.slice(0, 2));
}

const SQLITE_UNIQUE = 2067;
const POSTGRES_UNIQUE = '23505';

export function isUniqueViolation(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return errcode === SQLITE_UNIQUE || code === POSTGRES_UNIQUE;
}
