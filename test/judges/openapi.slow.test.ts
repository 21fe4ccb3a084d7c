import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import { openJudge } from '../support/judges.ts';
import { type TestService, startTestService } from '../support/service/service.ts';

const run = promisify(execFile);

const HEY_API_CONFIG = `export default {
  input: './openapi.json',
  output: { path: './hey-api', importFileExtension: '.ts' },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
};
`;

const opened = await openJudge('openapi');

/** Linters of the OpenAPI document, and clients generated from it. */
describe('the OpenAPI document', { skip: opened.skip }, () => {
  let service: TestService;
  let judge = '';
  let folder = '';

  before(async () => {
    judge = opened.folder;
    service = await startTestService('sqlite');
    folder = mkdtempSync(join(tmpdir(), 'switchboard-openapi-'));
    const response = await fetch(`${service.url}/openapi.json`);
    writeFileSync(join(folder, 'openapi.json'), await response.text());
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n');
    symlinkSync(join(judge, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'hey-api.config.mjs'), HEY_API_CONFIG);
    cpSync(join(judge, 'clients'), folder, { recursive: true });
    await runTool('openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'schema.d.ts');
    await runTool('@hey-api/openapi-ts/bin/run.js', '-f', 'hey-api.config.mjs');
    await runTool('typescript/bin/tsc', '-p', folder);
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const runTool = (path: string, ...args: string[]) =>
    run(process.execPath, [join(judge, 'node_modules', path), ...args], {
      cwd: folder,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', DO_NOT_TRACK: '1' },
    });

  /** Runs a program over a generated client, and answers what it prints. */
  async function runClient(file: string): Promise<unknown> {
    const { application, app } = await service.application();
    const { body: integration } = await app.post('/1/integrations', {
      application_id: application.id,
      name: 'telegram',
      state: 'enable',
      token: '123:fake',
    });
    const token = await service.applicationToken(application.id);
    const args = [join(folder, file), service.url, token, String(integration.id)];
    const { stdout } = await run(process.execPath, args, { cwd: folder });
    return JSON.parse(stdout);
  }

  it('the OpenAPI document has no fault by the recommended rules of Redocly', async () => {
    const { stdout } = await runTool(
      '@redocly/cli/bin/cli.js',
      'lint',
      '--format=json',
      'openapi.json',
    );
    const { totals, problems } = JSON.parse(stdout) as { totals: object; problems: unknown };
    assert.deepEqual(totals, { errors: 0, warnings: 0, ignored: 0 }, JSON.stringify(problems));
  });

  it('the OpenAPI document has no fault by the OpenAPI rules of Spectral', async () => {
    const { stdout } = await runTool(
      '@stoplight/spectral-cli/dist/index.js',
      'lint',
      '--format=json',
      '--quiet',
      'openapi.json',
    );
    assert.deepEqual(JSON.parse(stdout), []);
  });

  it('the OpenAPI document makes a client by openapi-typescript that sends a message', async () => {
    assert.deepEqual(await runClient('openapi-fetch.ts'), { status: 202, state: 'queued' });
  });

  it('the OpenAPI document makes a client by hey-api that sends a message', async () => {
    assert.deepEqual(await runClient('hey-api.ts'), { status: 202, state: 'queued' });
  });
});
