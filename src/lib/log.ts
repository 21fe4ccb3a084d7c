import pino from 'pino';

export type Log = pino.Logger;

/** Fields that must never be written; a net below, since nothing of the kind is handed to the log. */
const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'token',
  'secret',
  'refresh',
  'password',
  'consumer_key',
  'consumer_secret',
];

/** What waits to be written while nobody reads the log; later lines are dropped. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;

export interface LogOptions {
  level: string;
  pretty: boolean;
  destination?: pino.DestinationStream;
}

export async function createLog({ level, pretty, destination }: LogOptions): Promise<Log> {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
      censor: '[redacted]',
    },
  };
  if (!pretty) return pino(options, destination ?? stdout());
  const { default: prettyStream } = await import('pino-pretty');
  return pino(
    options,
    prettyStream({ colorize: true, translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname' }),
  );
}

function stdout(): pino.DestinationStream {
  // With a `minLength` of 0, `flush` would answer before anything is written.
  return pino.destination({ dest: 1, sync: false, minLength: 1, maxLength: MAX_BUFFERED_BYTES });
}

/** Waits until the log is written; answers whether it was within that time. */
export async function isFlushed(log: Log, milliseconds: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), milliseconds);
  log.flush(() => resolve(true));
  const flushed = await promise;
  clearTimeout(timer);
  return flushed;
}

/** Not all that an error carries: the detail of a database error repeats the row it was about. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack } = error;
  const { code } = error as { code?: unknown };
  return { type: name, message, stack, ...(typeof code === 'string' && { code }) };
}
