import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/lib/telemetry/log.ts';
import { startService } from '../../src/service/service.ts';
import { openStore } from '../../src/setup.ts';
import { type OpenApi, apiSource } from './api.ts';
import { pythonSource } from './python.ts';

/* Writes `sdk/openapi.json` and the types of the clients. A test fails if a file is out of date. */

const folder = mkdtempSync(join(tmpdir(), 'switchboard-api-'));
const config = readConfig({
  SWITCHBOARD_PORT: '0',
  // The address in the documentation's examples.
  SWITCHBOARD_PUBLIC_URL: 'http://localhost:8080',
  SWITCHBOARD_ROLE: 'api',
  SWITCHBOARD_DATABASE: join(folder, 'switchboard.db'),
});
const store = await openStore(config);
const service = await startService(
  config,
  store,
  await createLog({ level: 'silent', pretty: false }),
);
const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;
writeFileSync(
  new URL('../openapi.json', import.meta.url),
  `${JSON.stringify(document, null, 1)}\n`,
);
writeFileSync(new URL('../src/api.ts', import.meta.url), apiSource(document));
writeFileSync(
  new URL('../../clients/python/src/switchboard/api.py', import.meta.url),
  pythonSource(document),
);
await service.stop();
rmSync(folder, { recursive: true });
