import { type SpawnSyncReturns, execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { ROOT, listRepository } from '../support/sources.ts';

/** A stock machine: a fresh copy of the project, and a PATH on which `node` and `npm` are these versions. */
export interface Machine extends Disposable {
  /** Where the copy is. */
  folder: string;
  environment: Record<string, string>;
  npm(args: readonly string[], cwd?: string): SpawnSyncReturns<string>;
}

/** No step takes this long, even on a slow network. */
const DEADLINE_MS = 600_000;

/** What npm needs to reach a registry, and nothing of the developer's own PATH. */
const KEPT = ['HOME', 'NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy'];

export function openMachine(versions: { node: string; npm: string }): Machine {
  const root = mkdtempSync(join(tmpdir(), 'switchboard-machine-'));
  // As root, PostgreSQL runs as nobody, who must get in.
  chmodSync(root, 0o755);
  const tools = join(root, 'tools');
  const folder = join(root, 'project');
  const name = `node-${process.platform}-${process.arch}`;
  mkdirSync(tools);
  execFileSync(
    'npm',
    [
      'install',
      '--no-save',
      '--ignore-scripts',
      '--loglevel=error',
      `--prefix=${tools}`,
      `${name}@${versions.node}`,
      `npm@${versions.npm}`,
    ],
    { cwd: tools, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const bin = join(tools, 'bin');
  mkdirSync(bin);
  cpSync(join(tools, 'node_modules', name, 'bin', 'node'), join(bin, 'node'));
  for (const [command, file] of [
    ['npm', 'npm-cli.js'],
    ['npx', 'npx-cli.js'],
  ] as const) {
    const script = join(tools, 'node_modules', 'npm', 'bin', file);
    writeFileSync(join(bin, command), `#!/bin/sh\nexec "${bin}/node" "${script}" "$@"\n`, {
      mode: 0o755,
    });
  }
  for (const path of listRepository()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path));
  }
  const environment = {
    PATH: `${bin}:/usr/bin:/bin`,
    // Modules that many scripts load are compiled once.
    NODE_COMPILE_CACHE: join(root, 'compiled'),
    ...Object.fromEntries(
      KEPT.flatMap((key) => {
        const value = process.env[key];
        return value === undefined ? [] : [[key, value]];
      }),
    ),
  };
  return {
    folder,
    environment,
    npm: (args, cwd = folder) =>
      spawnSync(join(bin, 'npm'), args, {
        cwd,
        env: environment,
        encoding: 'utf8',
        timeout: DEADLINE_MS,
        maxBuffer: 64 * 1024 * 1024,
      }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
