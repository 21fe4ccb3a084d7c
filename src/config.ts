import { SAMPLERS } from './lib/opentelemetry.ts';
import { parseKeyRing } from './lib/seal.ts';
import {
  collectorUrl,
  database,
  headers,
  httpUrl,
  networks,
  oneOf,
  origins,
  postgresUrl,
  proxies,
  share,
  text,
  wholeNumber,
} from './lib/setting-values.ts';

/*
 * Every setting, once: its name in the environment, its default, how it is read, and what it is for.
 * docs/configuration.md is made from this table.
 */
export interface Setting<Value> {
  name: string;
  /** As it would be written in the environment; null for a setting that may be left unset. */
  default: string | null;
  parse(text: string): Value;
  help: string;
  /** Whether its value must not be shown. */
  secret?: true;
}

function setting<Value>(definition: Setting<Value> & { default: string }): Setting<Value> {
  return definition;
}

function optional<Value>(definition: Omit<Setting<Value>, 'default'>): Setting<Value | undefined> {
  return { ...definition, default: null };
}

/** Something in the environment that cannot be used, in words for the operator. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export const SETTINGS = {
  host: setting({
    name: 'SWITCHBOARD_HOST',
    default: '127.0.0.1',
    parse: text,
    help: 'The address to listen on. `0.0.0.0` or `::` listens on every interface.',
  }),
  port: setting({
    name: 'SWITCHBOARD_PORT',
    default: '8080',
    parse: (value) => wholeNumber(value, 0, 65_535),
    help: 'The port to listen on; 0 takes any that is free.',
  }),
  database: setting({
    name: 'SWITCHBOARD_DATABASE',
    default: 'data/switchboard.db',
    parse: database,
    help: 'Where everything is kept: a file for the embedded store, or a `postgres://` URL.',
    secret: true,
  }),
  lostDatabase: setting({
    name: 'SWITCHBOARD_LOST_DATABASE',
    default: 'refuse',
    parse: (value) => oneOf(value, ['refuse', 'replace'] as const),
    help: 'What a start does when the file of the embedded store is missing or empty but its key ring file is there: `refuse`, since the database was most likely lost, or `replace` it with an empty one.',
  }),
  databaseLogMb: setting({
    name: 'SWITCHBOARD_DATABASE_LOG_MB',
    default: '4096',
    parse: (value) => wholeNumber(value, 64, 1_000_000),
    help: 'How many megabytes the write-ahead log of the embedded store may grow to while another process reads the file without end. Beyond that requests get 503.',
  }),
  databasePool: setting({
    name: 'SWITCHBOARD_DATABASE_POOL',
    default: '10',
    parse: (value) => wholeNumber(value, 2, 500),
    help: 'How many connections a node opens to PostgreSQL at the most.',
  }),
  databaseListenUrl: optional({
    name: 'SWITCHBOARD_DATABASE_LISTEN_URL',
    parse: postgresUrl,
    help: 'Where a node listens to the others, when `SWITCHBOARD_DATABASE` leads to a pooler such as pgbouncer: a `postgres://` URL of PostgreSQL itself.',
    secret: true,
  }),
  databasePrepared: setting({
    name: 'SWITCHBOARD_DATABASE_PREPARED',
    default: 'on',
    parse: (value) => oneOf(value, ['on', 'off'] as const) === 'on',
    help: 'Whether statements are prepared; `off` for a pooler that gives each transaction another connection and knows no prepared statements, as pgbouncer before 1.21.',
  }),
  secretKeys: optional({
    name: 'SWITCHBOARD_SECRET_KEYS',
    parse: parseKeyRing,
    help: 'The key ring that seals credentials: `id:base64-of-32-bytes`, newest first, comma-separated. Needed with PostgreSQL. For the embedded store a file `<database>.keys` is made when none is given.',
    secret: true,
  }),
  role: setting({
    name: 'SWITCHBOARD_ROLE',
    default: 'all',
    parse: (value) => oneOf(value, ['all', 'api', 'deliver'] as const),
    help: '`all` takes messages and delivers them; `api` only takes them, and leaves it to other nodes to deliver; `deliver` only delivers, and answers at `/healthz`, `/readyz` and `/metrics` alone.',
  }),
  retentionDays: setting({
    name: 'SWITCHBOARD_RETENTION_DAYS',
    default: '30',
    parse: (value) => wholeNumber(value, 1, 36_500),
    help: 'How many days messages are kept after they were sent or came to nothing, and attempts and events after they were made. On PostgreSQL up to a tenth longer.',
  }),
  statisticsDays: setting({
    name: 'SWITCHBOARD_STATISTICS_DAYS',
    default: '400',
    parse: (value) => wholeNumber(value, 1, 36_500),
    help: 'How many days it is kept what was counted of messages, by the hour; by the minute it is kept for three.',
  }),
  auditDays: setting({
    name: 'SWITCHBOARD_AUDIT_DAYS',
    default: '400',
    parse: (value) => wholeNumber(value, 1, 36_500),
    help: 'How many days it is kept who changed what.',
  }),
  chatFilesMb: setting({
    name: 'SWITCHBOARD_CHAT_FILES_MB',
    default: '1024',
    parse: (value) => wholeNumber(value, 0, 1_000_000_000),
    help: 'How many megabytes of files the visitors of one web chat may have sent, all together, within the time that messages are kept.',
  }),
  sessionDays: setting({
    name: 'SWITCHBOARD_SESSION_DAYS',
    default: '14',
    parse: (value) => wholeNumber(value, 1, 365),
    help: 'After how many days one has to sign in to the console again.',
  }),
  sessionIdleHours: setting({
    name: 'SWITCHBOARD_SESSION_IDLE_HOURS',
    default: '12',
    parse: (value) => wholeNumber(value, 1, 8_760),
    help: 'After how many hours in which nobody uses it a session of the console ends.',
  }),
  tokenMaxDays: setting({
    name: 'SWITCHBOARD_TOKEN_MAX_DAYS',
    default: '365',
    parse: (value) => wholeNumber(value, 1, 36_500),
    help: 'The longest life, in days, of a token that a caller signs with a key: `exp` minus `iat`. Longer ones are refused. Tokens that the service makes have their own end.',
  }),
  consoleDir: optional({
    name: 'SWITCHBOARD_CONSOLE_DIR',
    parse: text,
    help: 'The folder of the built console, where it is not the one that `npm run build:console` makes.',
  }),
  publicUrl: optional({
    name: 'SWITCHBOARD_PUBLIC_URL',
    parse: httpUrl,
    help: 'Where the outside world reaches this service, for links and for the addresses that channels call back.',
  }),
  allowLoopback: optional({
    name: 'SWITCHBOARD_ALLOW_LOOPBACK',
    parse: (value) => oneOf(value, ['on', 'off'] as const) === 'on',
    help: 'Whether addresses chosen by tenants may lie on this machine (`127.0.0.0/8`, `::1`): `on` or `off`. Unset means `off`, except with `serve --local`, which `npm start` runs. The port of the service itself stays closed.',
  }),
  allowNetworks: setting({
    name: 'SWITCHBOARD_ALLOW_NETWORKS',
    default: '',
    parse: networks,
    help: 'Networks, such as `10.1.0.0/16,fd00::/8`, that addresses chosen by tenants may lie in although they are not public. The port of the service itself stays closed on every address of its machine.',
  }),
  logLevel: setting({
    name: 'SWITCHBOARD_LOG_LEVEL',
    default: 'info',
    parse: (value) => oneOf(value, LOG_LEVELS),
    help: `How much is logged: ${LOG_LEVELS.map((level) => `\`${level}\``).join(', ')}. Requests that succeed are logged at \`debug\`.`,
  }),
  logFormat: setting({
    name: 'SWITCHBOARD_LOG_FORMAT',
    default: 'auto',
    parse: (value) => oneOf(value, ['auto', 'json', 'pretty'] as const),
    help: '`json`, a record a line; `pretty`, for reading; `auto` is pretty on a terminal.',
  }),
  rateLimit: setting({
    name: 'SWITCHBOARD_RATE_LIMIT',
    default: '0',
    parse: (value) => wholeNumber(value, 0, 1_000_000),
    help: 'How many requests a second one user or application may make, with bursts of twice as many; 0 sets no limit.',
  }),
  metricsToken: optional({
    name: 'SWITCHBOARD_METRICS_TOKEN',
    parse: text,
    help: 'The bearer token that opens `/metrics`. Without it and `SWITCHBOARD_METRICS_NETWORKS`, `/metrics` answers only direct requests from loopback to `localhost`.',
    secret: true,
  }),
  metricsNetworks: optional({
    name: 'SWITCHBOARD_METRICS_NETWORKS',
    parse: networks,
    help: 'Networks, such as `10.1.0.0/16`, that may read `/metrics` without the token. A request through a proxy counts by the address that a proxy of `SWITCHBOARD_TRUST_PROXY` names; through any other proxy it is refused.',
  }),
  tracesUrl: optional({
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    parse: collectorUrl,
    help: 'Where traces go, whole, where it is not `/v1/traces` below `OTEL_EXPORTER_OTLP_ENDPOINT`.',
  }),
  collectorUrl: optional({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    parse: collectorUrl,
    help: 'A collector that takes OTLP by HTTP, such as `http://localhost:4318`: requests and messages are traced, and the traces go there. Without it, or the one above, nothing is traced.',
  }),
  collectorHeaders: setting({
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    default: '',
    parse: headers,
    help: 'What the collector is told with each request, as `name=value`, comma-separated; values percent-encoded.',
    secret: true,
  }),
  serviceName: setting({
    name: 'OTEL_SERVICE_NAME',
    default: 'switchboard',
    parse: text,
    help: 'What the service is called in traces. `OTEL_RESOURCE_ATTRIBUTES` says more about it, as everywhere.',
  }),
  tracesSampler: setting({
    name: 'OTEL_TRACES_SAMPLER',
    default: 'parentbased_always_on',
    parse: (value) => oneOf(value, SAMPLERS),
    help: `Which traces are kept: ${SAMPLERS.map((name) => `\`${name}\``).join(', ')}. With \`parentbased_\`, whoever calls with a \`traceparent\` decides.`,
  }),
  tracesSamplerRatio: setting({
    name: 'OTEL_TRACES_SAMPLER_ARG',
    default: '1',
    parse: share,
    help: 'Which share of traces is kept with `traceidratio`, from 0 to 1.',
  }),
  tracingOff: setting({
    name: 'OTEL_SDK_DISABLED',
    default: 'false',
    parse: (value) => oneOf(value, ['true', 'false'] as const) === 'true',
    help: 'Whether nothing is traced, whatever else is set.',
  }),
  trustProxy: setting({
    name: 'SWITCHBOARD_TRUST_PROXY',
    default: '',
    parse: proxies,
    help: 'Addresses or networks of the proxies in front, whose `X-Forwarded-For` is believed.',
  }),
  corsOrigins: setting({
    name: 'SWITCHBOARD_CORS_ORIGINS',
    default: '',
    parse: origins,
    help: 'Origins whose pages may call `/1` from a browser, such as `https://app.example.com`, with commas between them.',
  }),
  requestTimeout: setting({
    name: 'SWITCHBOARD_REQUEST_TIMEOUT',
    default: '30',
    parse: (value) => wholeNumber(value, 1, 600),
    help: 'How many seconds a request may take to arrive before it is refused.',
  }),
  stopDelay: setting({
    name: 'SWITCHBOARD_STOP_DELAY',
    default: '0',
    parse: (value) => wholeNumber(value, 0, 600),
    help: 'For how many seconds a stop goes on taking requests while `/readyz` already answers 503, so that a load balancer can notice.',
  }),
  stopTimeout: setting({
    name: 'SWITCHBOARD_STOP_TIMEOUT',
    default: '25',
    parse: (value) => wholeNumber(value, 1, 600),
    help: 'How many seconds a stop waits for what is under way.',
  }),
};

export type Config = {
  [Key in keyof typeof SETTINGS]: (typeof SETTINGS)[Key] extends Setting<infer Value>
    ? Value
    : never;
} & {
  /** Where channels are, by name, instead of where they say themselves. */
  channelUrls: ReadonlyMap<string, string>;
};

/** Reads all settings. Throws a ConfigError, one line, for the first that cannot be used. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const entries = Object.entries(SETTINGS).map(([key, { name, parse, default: fallback }]) => {
    const written = environment[name];
    const value = written === undefined || written === '' ? fallback : written;
    return [key, value === null ? undefined : parsed<unknown>(name, value, parse)];
  });
  return { ...Object.fromEntries(entries), channelUrls: channelUrls(environment) } as Config;
}

function parsed<Value>(name: string, value: string, parse: (text: string) => Value): Value {
  try {
    return parse(value);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${name}: ${message.replaceAll(/\s+/g, ' ')}`);
  }
}

/** What ends as the address of a channel does, and is a setting of its own. */
const OWN_NAMES = new Set(Object.values(SETTINGS).map(({ name }) => name));

const CHANNEL_URL = /^SWITCHBOARD_([A-Z0-9_]+)_URL$/;

/** Whether a name in the environment says where a channel is. */
export function isChannelUrl(name: string): boolean {
  return CHANNEL_URL.test(name) && !OWN_NAMES.has(name);
}

/** `SWITCHBOARD_GOOGLE_CHAT_URL` says where the channel google-chat is, and so on. */
function channelUrls(environment: NodeJS.ProcessEnv): Map<string, string> {
  const urls = new Map<string, string>();
  for (const [name, value] of Object.entries(environment)) {
    const channel = CHANNEL_URL.exec(name)?.[1];
    if (!channel || !value || OWN_NAMES.has(name)) continue;
    urls.set(channel.toLowerCase().replaceAll('_', '-'), parsed(name, value, httpUrl));
  }
  return urls;
}

/** What the commands go by that call a server; the service does not look at them. */
const OF_COMMANDS = new Set(['SWITCHBOARD_URL', 'SWITCHBOARD_TOKEN', 'SWITCHBOARD_PROFILE']);

/** What looks like a setting and is none: most likely misspelt, so worth a warning. */
export function unknownSettings(environment: NodeJS.ProcessEnv): string[] {
  return Object.keys(environment).filter(
    (name) =>
      name.startsWith('SWITCHBOARD_') &&
      !OWN_NAMES.has(name) &&
      !OF_COMMANDS.has(name) &&
      !CHANNEL_URL.test(name),
  );
}
