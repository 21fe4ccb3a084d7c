import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import besideLock from '../bench/beside/package-lock.json' with { type: 'json' };
import besideManifest from '../bench/beside/package.json' with { type: 'json' };
import consoleManifest from '../console/package.json' with { type: 'json' };
import { licenseOf, runtimePackages } from '../docs/generate/licenses.ts';
import lockfile from '../package-lock.json' with { type: 'json' };
import manifest from '../package.json' with { type: 'json' };
import sdkManifest from '../sdk/package.json' with { type: 'json' };
import siteManifest from '../site/package.json' with { type: 'json' };
import broidLock from './judges/broid/package-lock.json' with { type: 'json' };
import broidManifest from './judges/broid/package.json' with { type: 'json' };
import dockerfileLock from './judges/dockerfile/package-lock.json' with { type: 'json' };
import dockerfileManifest from './judges/dockerfile/package.json' with { type: 'json' };
import openApiLock from './judges/openapi/package-lock.json' with { type: 'json' };
import openApiManifest from './judges/openapi/package.json' with { type: 'json' };
import renderersLock from './judges/renderers/package-lock.json' with { type: 'json' };
import renderersManifest from './judges/renderers/package.json' with { type: 'json' };
import teamsLock from './judges/teams/package-lock.json' with { type: 'json' };
import teamsManifest from './judges/teams/package.json' with { type: 'json' };
import { ROOT, type Sources, readRepository } from './support/sources.ts';

interface Locked {
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  dev?: boolean;
  /** Whether it is bundled in another package, whose digest covers it. */
  inBundle?: boolean;
  hasInstallScript?: boolean;
  optionalDependencies?: Record<string, string>;
  /** One or several; absent means all. */
  os?: string | readonly string[];
  cpu?: string | readonly string[];
}

interface Installed {
  version?: string;
  license?: string;
  scripts?: Record<string, string>;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

const { '': root, ...rest } = lockfile.packages;
/** Parts of this repository, which are not installed from a registry. */
const ours = new Map<string, { name: string }>([
  ['console', consoleManifest],
  ['sdk', sdkManifest],
  ['site', siteManifest],
]);
const ourNames = [...ours.values()].map(({ name }) => name);
const locked = new Map<string, Locked>(
  Object.entries<Locked>(rest).filter(
    ([path]) => !ours.has(path) && !ourNames.includes(nameOf(path)),
  ),
);
const direct = {
  ...manifest.dependencies,
  ...manifest.optionalDependencies,
  ...manifest.devDependencies,
  ...consoleManifest.devDependencies,
  ...siteManifest.devDependencies,
};

/** Permissive licenses that only require keeping their text. */
const LICENSES = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
];

/** A package's manifest; undefined when it is for another platform and so not installed. */
function installed(path: string): Installed | undefined {
  const file = join(ROOT, path, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Installed) : undefined;
}

const isExact = (version: string) => /^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version);
const listOf = (names: string | readonly string[] = []) => [names].flat();
const fits = (names: Locked['os'], name: string) => !names || listOf(names).includes(name);

/** The platforms of the service: those with a bundled Node. */
const platforms = Object.keys(manifest.optionalDependencies).map((name) => {
  const { os, cpu } = locked.get(`node_modules/${name}`) ?? {};
  const [[system], [processor]] = [listOf(os), listOf(cpu)];
  assert.ok(system && processor, `${name} is locked for no platform`);
  return { system, processor };
});

/** Each package has an immutable version from any registry. */
function checkLocked(packages: ReadonlyMap<string, Locked>): void {
  for (const [path, { version, integrity, resolved, link, inBundle }] of packages) {
    assert.ok(version && isExact(version), path);
    if (!inBundle) assert.match(integrity ?? '', /^sha512-[A-Za-z0-9+/]{86}==$/, path);
    assert.equal(resolved, undefined, path);
    assert.equal(link, undefined, path);
  }
}

describe('dependencies', () => {
  it('dependencies have exact versions', () => {
    for (const [name, version] of Object.entries(direct))
      assert.ok(isExact(version), `${name} ${version}`);
    for (const range of [
      '^1.0.0',
      '~1.0.0',
      '1',
      '1.x',
      '*',
      'latest',
      '>=1.0.0',
      'file:../x',
      'git+https://x',
    ]) {
      assert.equal(isExact(range), false, range);
    }
  });

  it('dependencies are locked for every platform, or npm ci refuses the lock file everywhere', () => {
    for (const [path, { optionalDependencies = {} }] of locked) {
      for (const name of Object.keys(optionalDependencies)) {
        const found =
          locked.has(`${path}/node_modules/${name}`) || locked.has(`node_modules/${name}`);
        assert.ok(found, `${nameOf(path)} requires ${name}`);
      }
    }
  });

  it('dependencies are locked as required', () => {
    assert.equal(lockfile.version, manifest.version);
    assert.deepEqual(root.dependencies, manifest.dependencies);
    assert.deepEqual(root.devDependencies, manifest.devDependencies);
    assert.deepEqual(root.optionalDependencies, manifest.optionalDependencies);
    assert.deepEqual([...ours.keys()], manifest.workspaces);
    assert.deepEqual(rest.console.devDependencies, consoleManifest.devDependencies);
    assert.deepEqual(rest.site.devDependencies, siteManifest.devDependencies);
    for (const [name, version] of Object.entries(direct)) {
      assert.equal(locked.get(`node_modules/${name}`)?.version, version, name);
    }
  });

  it('dependencies are locked with the digest of their content and without a registry address', () => {
    assert.ok(locked.size > 100);
    checkLocked(locked);
  });

  it('dependencies are installed as locked', () => {
    let count = 0;
    for (const [path, { version }] of locked) {
      const found = installed(path);
      if (!found) continue;
      count++;
      assert.equal(found.version, version, path);
    }
    assert.ok(count > 100);
  });

  it('dependencies run no install scripts except allowed ones', () => {
    const withScript = [...locked].filter(([, { hasInstallScript }]) => hasInstallScript);
    const here = withScript.filter(([, { os, cpu }]) =>
      platforms.some(({ system, processor }) => fits(os, system) && fits(cpu, processor)),
    );
    const allowed = Object.entries(manifest.allowScripts);
    assert.deepEqual(
      here.map(([path]) => nameOf(path)).toSorted(),
      allowed.map(([name]) => name).toSorted(),
    );
    const refused = allowed.filter(([, may]) => !may).map(([name]) => name);
    for (const [path, { dev }] of withScript) {
      assert.ok(dev || refused.includes(nameOf(path)), `${path} is needed at run time`);
    }
  });

  it('declare their install scripts correctly in the lock file', () => {
    for (const [path, { hasInstallScript }] of locked) {
      const scripts = installed(path)?.scripts ?? {};
      const runs = ['preinstall', 'install', 'postinstall'].some((name) => name in scripts);
      const builds = existsSync(join(ROOT, path, 'binding.gyp'));
      if (runs || builds) assert.equal(hasInstallScript, true, path);
    }
  });

  it('needed at run time have a permissive license', () => {
    const runtime = runtimePackages();
    assert.ok(runtime.length > Object.keys(manifest.dependencies).length);
    for (const { path, name } of runtime) {
      assert.ok(LICENSES.includes(licenseOf(path)), `${name}: ${licenseOf(path)}`);
      const { license = licenseOf(path) } = installed(path) ?? {};
      assert.equal(license, licenseOf(path), `${name} differs from the lock file`);
    }
    assert.ok(LICENSES.includes(manifest.license));
  });
});

/** Packages with their own lock file, which are installed on demand. */
const APART = [
  { folder: 'bench/beside', manifest: besideManifest, lock: besideLock },
  { folder: 'test/judges/broid', manifest: broidManifest, lock: broidLock },
  { folder: 'test/judges/dockerfile', manifest: dockerfileManifest, lock: dockerfileLock },
  { folder: 'test/judges/openapi', manifest: openApiManifest, lock: openApiLock },
  { folder: 'test/judges/renderers', manifest: renderersManifest, lock: renderersLock },
  { folder: 'test/judges/teams', manifest: teamsManifest, lock: teamsLock },
];

for (const { folder, manifest: own, lock } of APART) {
  describe(`dependencies of ${folder}`, () => {
    const { '': rootPackage, ...others } = lock.packages;
    const packages = new Map<string, Locked>(Object.entries<Locked>(others));

    it('are locked as required, by exact version and digest, without a registry address', () => {
      assert.deepEqual(rootPackage.dependencies, own.dependencies);
      const overrides = 'overrides' in own ? own.overrides : {};
      for (const [name, version] of Object.entries({ ...own.dependencies, ...overrides })) {
        assert.ok(isExact(version), `${name} ${version}`);
        assert.equal(packages.get(`node_modules/${name}`)?.version, version, name);
      }
      assert.ok(packages.size > 0);
      checkLocked(packages);
    });

    it('run no install scripts', () => {
      const scripts = [...packages].filter(([, { hasInstallScript }]) => hasInstallScript);
      const refused = Object.entries('allowScripts' in own ? own.allowScripts : {});
      assert.deepEqual(
        scripts.map(([path]) => nameOf(path)),
        refused.filter(([, may]) => !may).map(([name]) => name),
      );
    });
  });
}

/** Patterns of secrets. Where a service marks its secrets, the mark is matched. */
const SECRETS: Readonly<Record<string, RegExp>> = {
  'private key': /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----\s*[A-Za-z0-9+/]{16,}/,
  'Slack token': /\bxox[abeoprs]-[0-9A-Za-z-]{10,}/,
  'Slack webhook': /hooks\.slack\.com\/services\/T[0-9A-Z]{6,}\//,
  'AWS key': /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  'GitHub token': /\b(?:gh[pousr]_[0-9A-Za-z]{36}|github_pat_\w{30,})/,
  'GitLab token': /\bglpat-[\w-]{20,}/,
  'Google key': /\bAIza[\w-]{35}/,
  'Stripe key': /\b[rs]k_live_[0-9A-Za-z]{16,}/,
  'SendGrid key': /\bSG\.[\w-]{22}\.[\w-]{43}/,
  'npm token': /\bnpm_[0-9A-Za-z]{36}\b/,
  'Telegram token': /\b\d{8,10}:AA[\w-]{33}/,
  'Discord token': /\b[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,}/,
  'webhook secret': /\bwhsec_[A-Za-z0-9+/]{24,}/,
  'signed token': /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}/,
  'sealing key': /\b[\w-]{1,32}:[A-Za-z0-9+/]{43}=/,
};

const FAKE = /fake|example|canary|not-a-secret|0{8}|x{8}/i;
const MAY_HOLD_FAKES = /^(?:test|bench|docs|src\/sandbox)\/|\.test\.ts$/;

/** Secrets in files. Tests, documents and simulators may contain fake ones that say so. */
function secretsIn(sources: Sources): string[] {
  const found: string[] = [];
  for (const [path, text] of sources) {
    if (path.endsWith('package-lock.json')) continue;
    for (const [what, pattern] of Object.entries(SECRETS)) {
      for (const [match] of text.matchAll(new RegExp(pattern, 'g'))) {
        if (MAY_HOLD_FAKES.test(path) && FAKE.test(match)) continue;
        found.push(`${path}: ${what}`);
      }
    }
  }
  return found;
}

const REGISTRY =
  /\bregistry\.[a-z0-9-]+\.[a-z]{2,}|\bnpm\.pkg\.|\bnpm\.jsr\.|\/npm-(?:registry|proxy|group)\b|:_auth[T]oken|^\s*(?:@[\w-]+:)?registry\s*=/im;

const repository = readRepository();

describe('the repository', () => {
  it('contains no secrets', () => {
    assert.ok(repository.size > 100);
    assert.deepEqual(secretsIn(repository), []);
  });

  it('check finds secrets', () => {
    const digits = '1234567890'.repeat(9);
    // In two parts, so that this file passes its own check.
    const samples: Record<keyof typeof SECRETS, readonly [string, string]> = {
      'private key': ['-----BEGIN RSA PRIVATE', ` KEY-----\n${digits}`],
      'Slack token': ['xox', `b-${digits}`],
      'Slack webhook': ['https://hooks.slack', '.com/services/T12345678/B1/x'],
      'AWS key': ['AK', 'IAIOSFODNN7ABCDEFG'],
      'GitHub token': ['gh', `p_${digits.slice(0, 36)}`],
      'GitLab token': ['glp', `at-${digits}`],
      'Google key': ['AI', `za${digits}`],
      'Stripe key': ['sk_', `live_${digits}`],
      'SendGrid key': ['SG', `.${digits.slice(0, 22)}.${digits.slice(0, 43)}`],
      'npm token': ['npm', `_${digits.slice(0, 36)}`],
      'Telegram token': ['123456789', `:AA${digits.slice(0, 33)}`],
      'Discord token': ['M', `${digits.slice(0, 23)}.123456.${digits.slice(0, 27)}`],
      'webhook secret': ['whs', `ec_${digits}`],
      'signed token': ['ey', `J${digits}.eyJ${digits}.${digits}`],
      'sealing key': ['k1', `:${digits.slice(0, 43)}=`],
    };
    assert.deepEqual(Object.keys(samples), Object.keys(SECRETS));
    for (const [what, parts] of Object.entries(samples)) {
      const secret = parts.join('');
      for (const path of ['src/lib/a.ts', 'test/a.test.ts', '.ci/main.yml']) {
        const found = secretsIn(new Map([[path, `const a = '${secret}';`]]));
        assert.deepEqual(found, [`${path}: ${what}`]);
      }
    }
    const fake = ['xox', 'b-fake-token-for-tests'].join('');
    assert.deepEqual(secretsIn(new Map([['test/a.test.ts', fake]])), []);
    assert.equal(secretsIn(new Map([['src/a.ts', fake]])).length, 1);
  });

  it('the repository names no package registry, so that it installs from the configured one', () => {
    const naming = [...repository].filter(([, text]) => REGISTRY.test(text)).map(([path]) => path);
    assert.deepEqual(naming, []);
    for (const parts of [
      ['https://registry', '.npmjs.org/x'],
      ['https://registry', '.example.com'],
      ['https://npm', '.pkg.github.com'],
      ['registry', '=http://localhost:4873'],
      ['@scope:registry', ' = https://example.com'],
      ['//example.com/:_auth', 'Token=x'],
      ['https://example.com/repository/npm-', 'group/'],
    ]) {
      assert.match(`# a line\n${parts.join('')}`, REGISTRY);
    }
    assert.doesNotMatch('The registry of channels. See registry.ts.', REGISTRY);
  });
});
