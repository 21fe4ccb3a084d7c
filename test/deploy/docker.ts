import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { openDebian, whyNoDebian } from '../install/debian.ts';
import { requirement } from '../support/requirement.ts';
import { ROOT, listRepository } from '../support/sources.ts';
import { until } from '../support/until.ts';

/*
 * A Docker for one test, with its own images and volumes. It changes nothing of the machine's network: builds and
 * containers use it as it is.
 */

export interface Docker extends AsyncDisposable {
  /** Runs the client; returns what it prints. */
  run(...args: string[]): string;
  /** Writes a file into a container, such as `name:/app/file`. */
  copy(text: string, target: string): void;
  /** The paths of all files in an image. */
  filesOf(image: string): string[];
  /** Imports a stand-in for the official image, which only a registry has: Debian, and the Node.js of this process. */
  importNode(tag: string): void;
  /** Builds a clean checkout with the Dockerfile. */
  build(tag: string): void;
}

const NPM = 'npm@11.19.1';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const BUILD_DEADLINE_MS = 600_000;
const DEADLINE_MS = 120_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

const daemon = requirement('dockerd', 'apt-get install docker.io');
/** Why this machine cannot run one; false if it can. With `CI`, nothing may be skipped. */
export const noDocker = daemon.skip || (process.env['CI'] ? false : (whyNoDebian() ?? false));

export async function openDocker(): Promise<Docker> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-docker-'));
  const host = `unix://${join(folder, 'socket')}`;
  const files = ['data', 'exec'].map((name) => `--${name}-root=${join(folder, name)}`);
  const network = ['--bridge=none', '--iptables=false', '--ip6tables=false'];
  const options = [`--host=${host}`, `--pidfile=${join(folder, 'pid')}`, ...files, ...network];
  // Its containers and mounts live in namespaces of their own, and end with it.
  const isolated = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  // A file: nobody would empty a pipe while a command runs, and a full one blocks the daemon.
  const log = join(folder, 'log');
  const output = openSync(log, 'w');
  const child = spawn('unshare', [...isolated, daemon.path ?? '', ...options], {
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const exited = once(child, 'exit');
  const run = (args: readonly string[], timeout = DEADLINE_MS) =>
    execFileSync('docker', args, {
      // Neither the user's registries nor their plugins.
      env: { ...process.env, DOCKER_HOST: host, DOCKER_CONFIG: folder },
      encoding: 'utf8',
      stdio: 'pipe',
      timeout,
      maxBuffer: MAX_OUTPUT_BYTES,
    }).trim();
  const close = async () => {
    child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await until('Docker answers', () => {
      if (child.exitCode !== null) throw new Error(readFileSync(log, 'utf8'));
      return existsSync(join(folder, 'socket'));
    });
    run(['version']);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    run: (...args) => run(args),
    copy(text, target) {
      const file = join(folder, 'copied');
      writeFileSync(file, text, { mode: 0o644 });
      run(['cp', file, target]);
    },
    filesOf(image) {
      const archive = join(folder, 'files.tar');
      run(['create', '--name=files', image]);
      run(['export', `--output=${archive}`, 'files']);
      run(['rm', 'files']);
      const listed = execFileSync('tar', ['--list', `--file=${archive}`], {
        encoding: 'utf8',
        maxBuffer: MAX_OUTPUT_BYTES,
      });
      rmSync(archive);
      return listed.split('\n');
    },
    importNode(tag) {
      using debian = openDebian('pipe', 'bookworm');
      const { root } = debian;
      const install = ['install', '--no-save', '--ignore-scripts', '--global'];
      execFileSync('npm', [...install, `--prefix=${join(root, 'usr/local')}`, NPM], {
        cwd: root,
        stdio: 'pipe',
      });
      cpSync(process.execPath, join(root, 'usr/local/bin/node'));
      const changes = ['CMD ["node"]'];
      if (existsSync(CERTIFICATES)) {
        mkdirSync(join(root, dirname(CERTIFICATES)), { recursive: true });
        cpSync(CERTIFICATES, join(root, CERTIFICATES));
        changes.push(`ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}`);
      }
      const archive = join(folder, 'node.tar');
      execFileSync('tar', ['--create', `--file=${archive}`, `--directory=${root}`, '.']);
      run(['import', ...changes.map((change) => `--change=${change}`), archive, tag]);
      rmSync(archive);
    },
    build(tag) {
      const checkout = join(folder, 'checkout');
      for (const path of listRepository()) {
        mkdirSync(dirname(join(checkout, path)), { recursive: true });
        cpSync(join(ROOT, path), join(checkout, path));
      }
      const proxies = ['HTTPS_PROXY', 'NO_PROXY'].map((name) => `--build-arg=${name}`);
      run(['build', '--network=host', ...proxies, `--tag=${tag}`, checkout], BUILD_DEADLINE_MS);
      rmSync(checkout, { recursive: true });
    },
    [Symbol.asyncDispose]: close,
  };
}
