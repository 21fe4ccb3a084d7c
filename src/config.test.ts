import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ConfigError, LOG_LEVELS, SETTINGS, readConfig, unknownSettings } from './config.ts';
import { formatKeyRing, generateRingKey } from './lib/crypto/seal.ts';

/** The error message about one bad setting. */
function complaint(name: string, value: string): string {
  try {
    readConfig({ [name]: value });
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
  return assert.fail(`${name}=${value} was taken`);
}

/** Values that each setting must refuse. Settings that take any text have none. */
const BAD: Record<keyof typeof SETTINGS, readonly string[]> = {
  corsOrigins: ['*', 'app.example.com', 'https://app.example.com/', 'ftp://example.com'],
  host: [],
  port: ['-1', '65536', '80.5', '8e1', '0x50', ' 80', 'http', '80\n80'],
  database: [
    'mysql://user:canary@db/x',
    'postgres//:x://canary',
    'http://canary@db',
    'postgres://[canary',
    'postgres:canary',
    'sqlite:/var/lib/canary.db',
    'file:canary.db',
    ':memory:',
  ],
  databaseListenUrl: ['data.db', 'mysql://user:canary@db/x', 'postgres://[canary'],
  databasePrepared: ['yes', 'ON', '1'],
  lostDatabase: ['create', 'REPLACE'],
  databaseLogMb: ['63', '1000001', '64.5'],
  databasePool: ['1', '0', '501', 'ten', '-5'],
  secretKeys: ['canary', 'k1:canary', ',', 'k1:canary\nk2:canary'],
  role: ['sender', 'ALL', 'none'],
  retentionDays: ['0', '-1', '1.5', 'month', '36501'],
  statisticsDays: ['0', '-1', '1.5', 'year', '36501'],
  auditDays: ['0', '-1', '1.5', 'year', '36501'],
  chatFilesMb: ['-1', '1.5', 'all', '1000000001'],
  sandbox: ['yes', 'ON', '1'],
  sessionDays: ['0', '366', '1.5', 'week'],
  tokenMaxDays: ['0', '36501', 'year'],
  sessionIdleHours: ['0', '8761', 'day'],
  consoleDir: [],
  docsDir: [],
  publicUrl: ['example.com', 'ftp://example.com', 'https://', 'javascript:alert(1)', '/path'],
  allowLoopback: ['yes', 'ON'],
  metricsNetworks: ['10.0.0.0', 'x'],
  allowNetworks: [
    '10.0.0.0',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0/8',
    'fd00::/129',
    'fd00::/8,nonsense',
    'localhost/8',
    '10.0.0.0/8 172.16.0.0/12',
  ],
  logLevel: ['verbose', 'INFO', 'warn,info'],
  logFormat: ['xml', 'JSON'],
  rateLimit: ['-1', '1.5', 'none', '1000001'],
  metricsToken: [],
  tracesUrl: ['collector:4318', 'grpc://collector:4317', 'https://user:canary@collector'],
  collectorUrl: ['collector:4318', 'grpc://collector:4317', 'https://user:canary@collector'],
  collectorHeaders: ['canary', 'a b=canary', 'x-key=%canary', 'x-key=canary\nx'],
  serviceName: [],
  tracesSampler: ['always', 'ALWAYS_ON', 'jaeger_remote'],
  tracesSamplerRatio: ['-0.1', '1.1', 'half', '1e-1', ''.padEnd(1, ' ')],
  tracingOff: ['yes', '1', 'TRUE'],
  trustProxy: ['nonsense', '10.0.0.0/8/8', '10.0.0.0/33', '127.0.0.1,proxy.example.com'],
  requestTimeout: ['0', '601', '1.5', 'soon'],
  stopDelay: ['-1', '601', '5s'],
  stopTimeout: ['0', '601', '25s'],
};

describe('the settings', () => {
  it('settings have valid defaults in an empty environment', () => {
    const { allowNetworks, ...config } = readConfig({});
    assert.deepEqual(config, {
      host: '127.0.0.1',
      port: 8080,
      database: 'data/switchboard.db',
      lostDatabase: 'refuse',
      databaseLogMb: 4096,
      databasePool: 10,
      databaseListenUrl: undefined,
      databasePrepared: true,
      secretKeys: undefined,
      role: 'all',
      retentionDays: 30,
      statisticsDays: 400,
      auditDays: 400,
      chatFilesMb: 1024,
      sandbox: true,
      sessionDays: 14,
      sessionIdleHours: 12,
      consoleDir: undefined,
      docsDir: undefined,
      publicUrl: undefined,
      allowLoopback: undefined,
      metricsNetworks: undefined,
      logLevel: 'info',
      logFormat: 'auto',
      rateLimit: 0,
      metricsToken: undefined,
      tracesUrl: undefined,
      collectorUrl: undefined,
      collectorHeaders: {},
      serviceName: 'switchboard',
      tracesSampler: 'parentbased_always_on',
      tracesSamplerRatio: 1,
      tracingOff: false,
      trustProxy: [],
      corsOrigins: [],
      requestTimeout: 30,
      stopDelay: 0,
      stopTimeout: 25,
      tokenMaxDays: 365,
      channelUrls: new Map(),
    });
    assert.deepEqual(allowNetworks.rules, []);
  });

  it('settings count as unset if they are empty', () => {
    const empty = Object.fromEntries(Object.values(SETTINGS).map(({ name }) => [name, '']));
    assert.deepEqual(readConfig(empty), readConfig({}));
  });

  it('settings are parsed', () => {
    const ring = [generateRingKey(), generateRingKey()];
    const { allowNetworks, ...config } = readConfig({
      SWITCHBOARD_HOST: '::',
      SWITCHBOARD_PORT: '0',
      SWITCHBOARD_DATABASE: 'postgres://user:pass@db.example.com:5432/switchboard?sslmode=require',
      SWITCHBOARD_LOST_DATABASE: 'replace',
      SWITCHBOARD_DATABASE_LOG_MB: '64',
      SWITCHBOARD_DATABASE_POOL: '500',
      SWITCHBOARD_DATABASE_LISTEN_URL: 'postgres://direct.example.com/switchboard',
      SWITCHBOARD_DATABASE_PREPARED: 'off',
      SWITCHBOARD_SECRET_KEYS: formatKeyRing(ring),
      SWITCHBOARD_ROLE: 'api',
      SWITCHBOARD_RETENTION_DAYS: '7',
      SWITCHBOARD_STATISTICS_DAYS: '36500',
      SWITCHBOARD_AUDIT_DAYS: '90',
      SWITCHBOARD_CHAT_FILES_MB: '0',
      SWITCHBOARD_SANDBOX: 'off',
      SWITCHBOARD_SESSION_DAYS: '365',
      SWITCHBOARD_SESSION_IDLE_HOURS: '1',
      SWITCHBOARD_CONSOLE_DIR: '/srv/console',
      SWITCHBOARD_DOCS_DIR: '/srv/docs',
      SWITCHBOARD_GOOGLE_CHAT_URL: 'https://chat.example.com/',
      SWITCHBOARD_PUBLIC_URL: 'https://switchboard.example.com/base/',
      SWITCHBOARD_ALLOW_LOOPBACK: 'on',
      SWITCHBOARD_LOG_LEVEL: 'silent',
      SWITCHBOARD_LOG_FORMAT: 'pretty',
      SWITCHBOARD_RATE_LIMIT: '1000000',
      SWITCHBOARD_METRICS_TOKEN: 'any text',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example.com/take',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318/',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20example%3D, x-team = one',
      OTEL_SERVICE_NAME: 'gateway',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_SDK_DISABLED: 'true',
      SWITCHBOARD_TRUST_PROXY: ' 10.0.0.1, fd00::/8 ,192.0.2.0/24,',
      SWITCHBOARD_CORS_ORIGINS: 'https://app.example.com, http://localhost:5173',
      SWITCHBOARD_REQUEST_TIMEOUT: '600',
      SWITCHBOARD_STOP_DELAY: '5',
      SWITCHBOARD_STOP_TIMEOUT: '1',
      SWITCHBOARD_TOKEN_MAX_DAYS: '90',
    });
    assert.deepEqual(config, {
      host: '::',
      port: 0,
      database: 'postgres://user:pass@db.example.com:5432/switchboard?sslmode=require',
      lostDatabase: 'replace',
      databaseLogMb: 64,
      databasePool: 500,
      databaseListenUrl: 'postgres://direct.example.com/switchboard',
      databasePrepared: false,
      secretKeys: ring,
      role: 'api',
      retentionDays: 7,
      statisticsDays: 36_500,
      auditDays: 90,
      chatFilesMb: 0,
      sandbox: false,
      sessionDays: 365,
      sessionIdleHours: 1,
      consoleDir: '/srv/console',
      docsDir: '/srv/docs',
      channelUrls: new Map([['google-chat', 'https://chat.example.com']]),
      publicUrl: 'https://switchboard.example.com/base',
      allowLoopback: true,
      metricsNetworks: undefined,
      logLevel: 'silent',
      logFormat: 'pretty',
      rateLimit: 1_000_000,
      metricsToken: 'any text',
      tracesUrl: 'https://traces.example.com/take',
      collectorUrl: 'http://localhost:4318',
      collectorHeaders: { authorization: 'Basic example=', 'x-team': 'one' },
      serviceName: 'gateway',
      tracesSampler: 'traceidratio',
      tracesSamplerRatio: 0.25,
      tracingOff: true,
      trustProxy: ['10.0.0.1', 'fd00::/8', '192.0.2.0/24'],
      corsOrigins: ['https://app.example.com', 'http://localhost:5173'],
      requestTimeout: 600,
      stopDelay: 5,
      stopTimeout: 1,
      tokenMaxDays: 90,
    });
    assert.deepEqual(allowNetworks.rules, []);
  });

  it('settings accept a file or either form of a PostgreSQL URL as the database', () => {
    for (const database of [
      'x.db',
      '/var/lib/x.db',
      './a:b/x.db',
      'C:\\x.db',
      'postgresql://db/x',
    ]) {
      assert.equal(readConfig({ SWITCHBOARD_DATABASE: database }).database, database);
    }
  });

  it('settings accept every log level', () => {
    for (const level of LOG_LEVELS) {
      assert.equal(readConfig({ SWITCHBOARD_LOG_LEVEL: level }).logLevel, level);
    }
  });

  it('settings allow only the listed IPv4 and IPv6 networks', () => {
    const { allowNetworks } = readConfig({
      SWITCHBOARD_ALLOW_NETWORKS: ' 10.1.0.0/16, fd00::/8,192.0.2.7/32 ',
    });
    for (const [address, kind, allowed] of [
      ['10.1.255.255', 'ipv4', true],
      ['10.2.0.0', 'ipv4', false],
      ['192.0.2.7', 'ipv4', true],
      ['192.0.2.8', 'ipv4', false],
      ['fd12::1', 'ipv6', true],
      ['fe80::1', 'ipv6', false],
    ] as const) {
      assert.equal(allowNetworks.check(address, kind), allowed, address);
    }
  });

  for (const [key, { name, secret }] of Object.entries(SETTINGS)) {
    for (const value of BAD[key as keyof typeof SETTINGS]) {
      it(`${name} refuses ${JSON.stringify(value)} in one line that names it`, () => {
        const message = complaint(name, value);
        assert.match(message, new RegExp(`^${name}: .{10,}$`));
        if (secret) assert.doesNotMatch(message, /canary/);
      });
    }
  }

  it('settings report the first of several invalid settings', () => {
    const wrong = { SWITCHBOARD_STOP_TIMEOUT: 'x', SWITCHBOARD_PORT: 'x' };
    assert.throws(
      () => readConfig(wrong),
      /^ConfigError: SWITCHBOARD_PORT: "x" is not a whole number/,
    );
  });

  it('settings have unique names and help texts', () => {
    const all = Object.values(SETTINGS);
    assert.equal(new Set(all.map(({ name }) => name)).size, all.length);
    for (const { name, help } of all) {
      assert.match(name, /^(SWITCHBOARD|OTEL)_[A-Z_]+$/);
      assert.match(help, /^\S.*\.$/, name);
    }
  });

  it('settings are marked as secret if they hold credentials', () => {
    const secret = Object.values(SETTINGS).filter((each) => each.secret);
    assert.deepEqual(
      secret.map(({ name }) => name),
      [
        'SWITCHBOARD_DATABASE',
        'SWITCHBOARD_DATABASE_LISTEN_URL',
        'SWITCHBOARD_SECRET_KEYS',
        'SWITCHBOARD_METRICS_TOKEN',
        'OTEL_EXPORTER_OTLP_HEADERS',
      ],
    );
  });

  it('settings are reported if unknown, except for the URLs of channels', () => {
    const environment = {
      SWITCHBOARD_PORT: '1',
      SWITCHBOARD_PROT: '2',
      SWITCHBOARD_TELEGRAM_URL: 'http://127.0.0.1',
      SWITCHBOARD_: '3',
      switchboard_host: '4',
      PATH: '5',
    };
    assert.deepEqual(unknownSettings(environment), ['SWITCHBOARD_PROT', 'SWITCHBOARD_']);
  });
});
