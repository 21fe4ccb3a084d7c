import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { it } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
/** Folders that are not sources. */
const LEFT_OUT = ['.git', 'node_modules', 'data', 'dist', 'bench'];

/** A separate checkout, since the command writes into its own. */
function openCheckout() {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-channel-'));
  cpSync(ROOT, folder, { recursive: true, filter: (path) => !LEFT_OUT.includes(basename(path)) });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    run: (...args: string[]) =>
      new Promise<{ failed: boolean; output: string }>((done) => {
        // This test's runner must not treat the tests of the copy as its own.
        const env = {
          PATH: process.env['PATH'] ?? '',
          NODE_COMPILE_CACHE: join(folder, '.compiled'),
        };
        execFile(process.execPath, args, { cwd: folder, env }, (error, stdout, stderr) =>
          done({ failed: error !== null, output: stdout + stderr }),
        );
      }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

it('channel new creates a channel whose tests fail until its placeholders are replaced', async () => {
  using checkout = openCheckout();
  const made = await checkout.run('src/main.ts', 'channel', 'new', 'acme-chat');
  assert.equal(made.failed, false, made.output);
  assert.match(made.output, /wrote src\/channels\/acme-chat\.ts\n/);
  const tests = [
    'test/channels/acme-chat/send.test.ts',
    'src/channels/index.test.ts',
    'src/channels/catalog.test.ts',
    'test/channels/limits.test.ts',
  ];
  const generated = await checkout.run('docs/generate/generate.ts');
  assert.equal(generated.failed, false, generated.output);
  const runTests = async () =>
    checkout.run('--test', '--test-reporter=tap', '--test-name-pattern=acme-chat', ...tests);
  const untouched = await runTests();
  assert.match(untouched.output, /acme-chat has placeholders; replace them/);
  const names = untouched.output.matchAll(/^ +not ok \d+ - (.*)$/gm);
  assert.deepEqual([...names].map(([, name]) => name).toSorted(), [
    'acme-chat has no placeholders',
    'has no placeholders of the generated channel left',
  ]);

  for (const path of ['src/channels/acme-chat.ts', 'docs/channels/setup/acme-chat.md']) {
    const file = join(checkout.folder, path);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replaceAll('example.com', 'acme.test').replaceAll('TODO: ', ''));
  }
  const run = await runTests();
  assert.equal(run.failed, false, run.output);
  assert.match(run.output, /acme-chat sends the longest text/);
  // Other tests check everything outside the channel.
  const include = ['src/channels/*/*.d.ts', ...tests];
  const settings = { extends: './tsconfig.json', compilerOptions: { incremental: false }, include };
  writeFileSync(join(checkout.folder, 'tsconfig.new.json'), JSON.stringify(settings));
  const compiler = 'node_modules/typescript/bin/tsc';
  const types = await checkout.run(compiler, '--noEmit', '-p', 'tsconfig.new.json');
  assert.equal(types.failed, false, types.output);
});

it('channel new overwrites nothing and refuses invalid channel names', async () => {
  using checkout = openCheckout();
  for (const name of ['telegram', 'kik', 'class', 'Acme', 'a--b', '../x', '1a']) {
    const { failed, output } = await checkout.run('src/main.ts', 'channel', 'new', name);
    assert.ok(failed, name);
    assert.match(output, /^switchboard: .+\n$/, name);
  }
  const list = (folder: string) => readFileSync(join(folder, 'src/channels/index.ts'), 'utf8');
  assert.equal(list(checkout.folder), list(ROOT));
});
