import { parseKeyRing } from './lib/crypto/seal.ts';
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
} from './lib/runtime/setting-values.ts';
import { SAMPLERS } from './lib/telemetry/opentelemetry.ts';

/*
 * All settings: name in the environment, default, parser and help. docs/configuration.md is generated from this
 * table.
 */
export interface Setting<Value> {
  name: string;
  /** As written in the environment; null for an optional setting. */
  default: string | null;
  parse(text: string): Value;
  help: string;
  secret?: true;
}

function setting<Value>(definition: Setting<Value> & { default: string }): Setting<Value> {
  return definition;
}

function optional<Value>(definition: Omit<Setting<Value>, 'default'>): Setting<Value | undefined> {
  return { ...definition, default: null };
}

/** An invalid setting; the message is written for the operator. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export const SETTINGS = {
  host: setting({
    name: 'SWITCHBOARD_HOST',
    default: '127.0.0.1',
    parse: text,
    help: 'Address to listen on. `0.0.0.0` or `::` listens on every interface.',
  }),
  port: setting({
    name: 'SWITCHBOARD_PORT',
    default: '8080',
    parse: (value) => wholeNumber(value, 0, 65_535),
    help: 'Port to listen on; 0 picks a free one.',
  }),
  database: setting({
    name: 'SWITCHBOARD_DATABASE',
    default: 'data/switchboard.db',
    parse: database,
    help: 'Database: a file for the embedded store, or a `postgres://` URL.',
    secret: true,
  }),
  lostDatabase: setting({
    name: 'SWITCHBOARD_LOST_DATABASE',
    default: 'refuse',
    parse: (value) => oneOf(value, ['refuse', 'replace'] as const),
    help: 'What to do when the database file is missing or empty but its key ring file exists: `refuse` to start, since the database was probably lost, or `replace` it with an empty one.',
  }),
  databaseLogMb: setting({
    name: 'SWITCHBOARD_DATABASE_LOG_MB',
    default: '4096',
    parse: (value) => wholeNumber(value, 64, 1_000_000),
    help: "Maximum size of the embedded store's write-ahead log, in megabytes, while another process holds a read transaction open. Beyond it, requests get 503.",
  }),
  databasePool: setting({
    name: 'SWITCHBOARD_DATABASE_POOL',
    default: '10',
    parse: (value) => wholeNumber(value, 2, 500),
    help: 'Maximum number of PostgreSQL connections per node.',
  }),
  databaseListenUrl: optional({
    name: 'SWITCHBOARD_DATABASE_LISTEN_URL',
    parse: postgresUrl,
    help: '`postgres://` URL for LISTEN, bypassing a pooler such as pgbouncer in `SWITCHBOARD_DATABASE`.',
    secret: true,
  }),
  databasePrepared: setting({
    name: 'SWITCHBOARD_DATABASE_PREPARED',
    default: 'on',
    parse: (value) => oneOf(value, ['on', 'off'] as const) === 'on',
    help: 'Whether to use prepared statements. Set `off` for a transaction pooler without support for them, such as pgbouncer before 1.21.',
  }),
  secretKeys: optional({
    name: 'SWITCHBOARD_SECRET_KEYS',
    parse: parseKeyRing,
    help: 'Key ring that encrypts credentials: `id:base64-of-32-bytes`, newest first, comma-separated. Required with PostgreSQL. The embedded store creates the file `<database>.keys` if this is unset.',
    secret: true,
  }),
  role: setting({
    name: 'SWITCHBOARD_ROLE',
    default: 'all',
    parse: (value) => oneOf(value, ['all', 'api', 'deliver'] as const),
    help: '`all` accepts and delivers messages; `api` only accepts them and leaves delivery to other nodes; `deliver` only delivers, and serves only `/healthz`, `/readyz` and `/metrics`.',
  }),
  retentionDays: setting({
    name: 'SWITCHBOARD_RETENTION_DAYS',
    default: '30',
    parse: (value) => wholeNumber(value, 1, 36_500),
    help: 'Days to keep finished messages, attempts and events. On PostgreSQL up to a tenth longer.',
  }),
  statisticsDays: setting({
    name: 'SWITCHBOARD_STATISTICS_DAYS',
    default: '400',
    parse: (value) => wholeNumber(value, 1, 36_500),
    help: 'Days to keep hourly message statistics. Minutes are kept for three days.',
  }),
  auditDays: setting({
    name: 'SWITCHBOARD_AUDIT_DAYS',
    default: '400',
    parse: (value) => wholeNumber(value, 1, 36_500),
    help: 'Days to keep the audit log.',
  }),
  chatFilesMb: setting({
    name: 'SWITCHBOARD_CHAT_FILES_MB',
    default: '1024',
    parse: (value) => wholeNumber(value, 0, 1_000_000_000),
    help: 'Megabytes of files to keep per integration, within the retention of messages: those of web chat visitors, and uploads to conversations.',
  }),
  sandbox: setting({
    name: 'SWITCHBOARD_SANDBOX',
    default: 'on',
    parse: (value) => oneOf(value, ['on', 'off'] as const) === 'on',
    help: 'Whether integrations may use the sandbox, where built-in simulators take the place of vendors.',
  }),
  sessionDays: setting({
    name: 'SWITCHBOARD_SESSION_DAYS',
    default: '14',
    parse: (value) => wholeNumber(value, 1, 365),
    help: 'Days until a console session ends.',
  }),
  sessionIdleHours: setting({
    name: 'SWITCHBOARD_SESSION_IDLE_HOURS',
    default: '12',
    parse: (value) => wholeNumber(value, 1, 8_760),
    help: 'Hours of inactivity until a console session ends.',
  }),
  tokenMaxDays: setting({
    name: 'SWITCHBOARD_TOKEN_MAX_DAYS',
    default: '365',
    parse: (value) => wholeNumber(value, 1, 36_500),
    help: 'Maximum lifetime, in days, of a token that a caller signs: `exp` minus `iat`. Longer ones are refused. Tokens issued by the service have their own expiry.',
  }),
  consoleDir: optional({
    name: 'SWITCHBOARD_CONSOLE_DIR',
    parse: text,
    help: 'Folder of the built console, if it is not the output of `npm run build:console`.',
  }),
  docsDir: optional({
    name: 'SWITCHBOARD_DOCS_DIR',
    parse: text,
    help: 'Folder of the built documentation, if it is not the output of `npm run build:docs`.',
  }),
  publicUrl: optional({
    name: 'SWITCHBOARD_PUBLIC_URL',
    parse: httpUrl,
    help: "Public URL of the service, for links and for vendors' webhooks.",
  }),
  allowLoopback: optional({
    name: 'SWITCHBOARD_ALLOW_LOOPBACK',
    parse: (value) => oneOf(value, ['on', 'off'] as const) === 'on',
    help: "Whether tenants' URLs may point to this machine (`127.0.0.0/8`, `::1`): `on` or `off`. Unset means `off`, except with `serve --local`, which `npm start` runs. The service's own port is always blocked.",
  }),
  allowNetworks: setting({
    name: 'SWITCHBOARD_ALLOW_NETWORKS',
    default: '',
    parse: networks,
    help: "Private networks that tenants' URLs may point to, such as `10.1.0.0/16,fd00::/8`. The service's own port is always blocked.",
  }),
  logLevel: setting({
    name: 'SWITCHBOARD_LOG_LEVEL',
    default: 'info',
    parse: (value) => oneOf(value, LOG_LEVELS),
    help: `Log level: ${LOG_LEVELS.map((level) => `\`${level}\``).join(', ')}. Successful requests are logged at \`debug\`.`,
  }),
  logFormat: setting({
    name: 'SWITCHBOARD_LOG_FORMAT',
    default: 'auto',
    parse: (value) => oneOf(value, ['auto', 'json', 'pretty'] as const),
    help: '`json`, one record per line; `pretty`, for people; `auto` is pretty on a terminal.',
  }),
  rateLimit: setting({
    name: 'SWITCHBOARD_RATE_LIMIT',
    default: '0',
    parse: (value) => wholeNumber(value, 0, 1_000_000),
    help: 'Requests per second and user or application, with bursts of twice as many; 0 means no limit.',
  }),
  metricsToken: optional({
    name: 'SWITCHBOARD_METRICS_TOKEN',
    parse: text,
    help: 'Bearer token for `/metrics`. Without it and `SWITCHBOARD_METRICS_NETWORKS`, `/metrics` answers only direct requests from loopback to `localhost`.',
    secret: true,
  }),
  metricsNetworks: optional({
    name: 'SWITCHBOARD_METRICS_NETWORKS',
    parse: networks,
    help: 'Networks that may read `/metrics` without the token, such as `10.1.0.0/16`. Behind a proxy in `SWITCHBOARD_TRUST_PROXY`, the client address counts; requests through other proxies are refused.',
  }),
  tracesUrl: optional({
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    parse: collectorUrl,
    help: 'Full URL for traces, if it is not `/v1/traces` below `OTEL_EXPORTER_OTLP_ENDPOINT`.',
  }),
  collectorUrl: optional({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    parse: collectorUrl,
    help: 'OTLP/HTTP collector, such as `http://localhost:4318`. Without it, and without the setting above, tracing is off.',
  }),
  collectorHeaders: setting({
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    default: '',
    parse: headers,
    help: 'Headers for the collector, as `name=value`, comma-separated; values percent-encoded.',
    secret: true,
  }),
  serviceName: setting({
    name: 'OTEL_SERVICE_NAME',
    default: 'switchboard',
    parse: text,
    help: 'Service name in traces. `OTEL_RESOURCE_ATTRIBUTES` adds attributes, as usual.',
  }),
  tracesSampler: setting({
    name: 'OTEL_TRACES_SAMPLER',
    default: 'parentbased_always_on',
    parse: (value) => oneOf(value, SAMPLERS),
    help: `Trace sampler: ${SAMPLERS.map((name) => `\`${name}\``).join(', ')}. With \`parentbased_\`, the caller's \`traceparent\` decides.`,
  }),
  tracesSamplerRatio: setting({
    name: 'OTEL_TRACES_SAMPLER_ARG',
    default: '1',
    parse: share,
    help: 'Share of traces to keep with `traceidratio`, from 0 to 1.',
  }),
  tracingOff: setting({
    name: 'OTEL_SDK_DISABLED',
    default: 'false',
    parse: (value) => oneOf(value, ['true', 'false'] as const) === 'true',
    help: 'Turns tracing off, regardless of other settings.',
  }),
  trustProxy: setting({
    name: 'SWITCHBOARD_TRUST_PROXY',
    default: '',
    parse: proxies,
    help: 'Addresses or networks of trusted proxies, whose `X-Forwarded-For` counts.',
  }),
  corsOrigins: setting({
    name: 'SWITCHBOARD_CORS_ORIGINS',
    default: '',
    parse: origins,
    help: 'Origins whose pages may call `/1` from a browser, such as `https://app.example.com`, comma-separated.',
  }),
  requestTimeout: setting({
    name: 'SWITCHBOARD_REQUEST_TIMEOUT',
    default: '30',
    parse: (value) => wholeNumber(value, 1, 600),
    help: 'Seconds a request may take to arrive.',
  }),
  stopDelay: setting({
    name: 'SWITCHBOARD_STOP_DELAY',
    default: '0',
    parse: (value) => wholeNumber(value, 0, 600),
    help: 'Seconds to keep accepting requests after a stop signal, while `/readyz` answers 503, so that load balancers notice.',
  }),
  stopTimeout: setting({
    name: 'SWITCHBOARD_STOP_TIMEOUT',
    default: '25',
    parse: (value) => wholeNumber(value, 1, 600),
    help: 'Seconds a stop waits for work in progress.',
  }),
};

export type Config = {
  [Key in keyof typeof SETTINGS]: (typeof SETTINGS)[Key] extends Setting<infer Value>
    ? Value
    : never;
} & {
  /** Base URLs by channel name, instead of the vendors' own. */
  channelUrls: ReadonlyMap<string, string>;
};

/** Reads all settings. Throws a one-line ConfigError for the first invalid one. */
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

/** The names of all settings; some look like the URL of a channel. */
const SETTING_NAMES = new Set(Object.values(SETTINGS).map(({ name }) => name));

const CHANNEL_URL = /^SWITCHBOARD_([A-Z0-9_]+)_URL$/;

/** Whether the variable sets the base URL of a channel. */
export function isChannelUrl(name: string): boolean {
  return CHANNEL_URL.test(name) && !SETTING_NAMES.has(name);
}

/** `SWITCHBOARD_GOOGLE_CHAT_URL` sets the base URL of google-chat, for example. */
function channelUrls(environment: NodeJS.ProcessEnv): Map<string, string> {
  const urls = new Map<string, string>();
  for (const [name, value] of Object.entries(environment)) {
    const channel = CHANNEL_URL.exec(name)?.[1];
    if (!channel || !value || SETTING_NAMES.has(name)) continue;
    urls.set(channel.toLowerCase().replaceAll('_', '-'), parsed(name, value, httpUrl));
  }
  return urls;
}

/** Variables of remote commands, which the service ignores. */
const COMMAND_VARIABLES = new Set(['SWITCHBOARD_URL', 'SWITCHBOARD_TOKEN', 'SWITCHBOARD_PROFILE']);

/** Variables that look like settings but are unknown, probably misspelled. */
export function unknownSettings(environment: NodeJS.ProcessEnv): string[] {
  return Object.keys(environment).filter(
    (name) =>
      name.startsWith('SWITCHBOARD_') &&
      !SETTING_NAMES.has(name) &&
      !COMMAND_VARIABLES.has(name) &&
      !CHANNEL_URL.test(name),
  );
}
