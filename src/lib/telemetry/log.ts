import pino from 'pino';

export type Log = pino.Logger;

/** Redacted as a safety net; the code does not log them. */
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

/** If nothing reads the log, lines beyond this are dropped. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;

interface LogOptions {
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
  // With a `minLength` of 0, `flush` calls back before the data is written.
  return pino.destination({ dest: 1, sync: false, minLength: 1, maxLength: MAX_BUFFERED_BYTES });
}

/** Waits for the log to be written; false if that takes longer than `milliseconds`. */
export async function flushLog(log: Log, milliseconds: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  // On a busy processor the timer may fire late: `setImmediate` lets the callback of a completed write run first.
  const timer = setTimeout(() => setImmediate(() => resolve(false)), milliseconds);
  log.flush(() => resolve(true));
  const flushed = await promise;
  clearTimeout(timer);
  return flushed;
}

/** Selected fields only: the detail of a database error repeats the row's values. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack } = error;
  const { code } = error as { code?: unknown };
  return { type: name, message, stack, ...(typeof code === 'string' && { code }) };
}
