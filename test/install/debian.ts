import {
  type SpawnSyncOptions,
  type SpawnSyncReturns,
  execFileSync,
  spawnSync,
} from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { ROOT, listRepository } from '../support/sources.ts';

/* A minimal Debian in a chroot: no git, ps, curl or browser. */

export const USERS = ['dev', 'root'] as const;
export type User = (typeof USERS)[number];
type Result = Pick<SpawnSyncReturns<string>, 'status' | 'stdout' | 'stderr'>;

export interface Debian extends Disposable {
  /** The folder of the chroot. */
  root: string;
  /** Runs a command as root, without /proc and /dev. */
  runBare(command: string): Result;
  /** Installs Debian's own Node.js 20 and npm 9, and a copy of the project for each user. */
  addProject(): void;
  /** Runs a command in the copy of that user. */
  run(user: User, command: string): Result;
}

/** Why this machine cannot build one; undefined if it can. */
export function whyNoDebian(): string | undefined {
  if (process.getuid?.() !== 0) return 'a chroot needs root';
  if (!existsSync('/usr/sbin/debootstrap')) return 'apt-get install debootstrap';
  return undefined;
}

const DEADLINE_MS = 900_000;
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const CLEAN = ['env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'DEBIAN_FRONTEND=noninteractive'];
/** The mounts live in a namespace of their own, and end with the command. */
const ENTER =
  'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && shift && exec chroot "$@"';

/** Commands print to `output`. The default is Debian 13. */
export function openDebian(
  output: SpawnSyncOptions['stdio'] = 'pipe',
  suite: 'trixie' | 'bookworm' = 'trixie',
): Debian {
  const root = mkdtempSync(join(tmpdir(), 'switchboard-debian-'));
  // Other users must get in.
  chmodSync(root, 0o755);
  // The Debian package needs adduser.
  const options = ['--variant=minbase', '--include=adduser'];
  execFileSync('debootstrap', [...options, suite, root, ...debianMirror()], { stdio: 'ignore' });
  const limits = { timeout: DEADLINE_MS, maxBuffer: 64 * 1024 * 1024 };
  const execute = (user: User, folder: string, command: string) =>
    spawnSync(
      'unshare',
      // prettier-ignore
      [
        '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', ENTER, 'sh', root,
        `--userspec=${user}`, root, ...CLEAN,
        `HOME=${home(user)}`, `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`,
        'sh', '-c', `cd ${folder} || exit 1; ${command}`,
      ],
      { ...limits, encoding: 'utf8', stdio: output },
    );
  const prepare = (command: string) => {
    const { status, stdout, stderr } = execute('root', '/', command);
    if (status !== 0) throw new Error(`${command}: ${stdout}${stderr}`);
  };
  return {
    root,
    runBare: (command) =>
      spawnSync('chroot', [root, ...CLEAN, 'sh', '-c', command], { ...limits, encoding: 'utf8' }),
    addProject() {
      for (const file of ['/etc/resolv.conf', '/etc/hosts']) cpSync(file, join(root, file));
      prepare(
        'apt-get install -qq --no-install-recommends -o Dpkg::Options::=--force-unsafe-io nodejs npm ca-certificates >/dev/null 2>&1',
      );
      if (existsSync(CERTIFICATES)) cpSync(CERTIFICATES, join(root, CERTIFICATES));
      prepare('useradd --create-home dev');
      for (const user of USERS) {
        const folder = join(root, home(user), 'project');
        for (const path of listRepository()) {
          mkdirSync(dirname(join(folder, path)), { recursive: true });
          cpSync(join(ROOT, path), join(folder, path));
        }
        writeFileSync(join(root, home(user), '.npmrc'), `cafile=${CERTIFICATES}\n`);
        prepare(`chown -R ${user} ${home(user)}`);
      }
      // As root, PostgreSQL runs as nobody, who must get in.
      prepare('chmod 755 /root');
    },
    run: (user, command) => execute(user, `${home(user)}/project`, command),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

function home(user: User): string {
  return user === 'root' ? '/root' : `/home/${user}`;
}

/** The mirror that this machine's apt uses; none means the default of debootstrap. */
function debianMirror(): string[] {
  const arguments_ = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'];
  const targets = execFileSync('apt-get', arguments_, { encoding: 'utf8' });
  return targets
    .split('\n')
    .filter((uri) => uri.endsWith('/debian/'))
    .slice(0, 1);
}
