import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { SETTINGS, readConfig, unknownSettings } from '../../src/config.ts';
import { formatKeyRing, generateRingKey } from '../../src/lib/crypto/seal.ts';
import { requirement } from '../support/requirement.ts';
import type { Reply } from '../support/service/client.ts';
import { startTestService } from '../support/service/service.ts';
import { readSources } from '../support/sources.ts';
import { parseYaml } from '../support/yaml.ts';
import { DOCKERFILE, environmentOf, readStages, argumentsOf } from './dockerfile.ts';

/** A parsed document: fields by name, to any depth. */
type Tree = Reply['body'];

const files = readSources('deploy/**/*', 'Dockerfile');
const yaml = new Map<string, Tree[]>(
  [...files]
    .filter(([path]) => /\.ya?ml$/.test(path))
    .map(([path, text]) => [path, parseYaml(text)]),
);
const only = (path: string): Tree => yaml.get(path)?.[0];

const image = readStages(DOCKERFILE).at(-1) ?? { name: '', instructions: [] };
const [user = ''] = argumentsOf(image, 'USER');
const uid = Number(user.split(':')[0]);
const port = Number(SETTINGS.port.default);

/** Placeholders that the examples leave to the operator. */
const FILLED_IN: Record<string, string> = {
  SITE: 'messages.example.com',
  POSTGRES_PASSWORD: 'not-a-secret',
  SWITCHBOARD_METRICS_TOKEN: 'not-a-secret',
  SWITCHBOARD_SECRET_KEYS: formatKeyRing([generateRingKey()]),
};

function filledIn(environment: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(environment).map(([name, value]) => {
    const text = String(value).replaceAll(/\$\{(\w+)[^}]*\}/g, (_match, key: string) => {
      return FILLED_IN[key] ?? assert.fail(`${key} is in no example`);
    });
    return [name, text.endsWith('…') ? (FILLED_IN[name] ?? text) : text.replace('…', 'x')];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Lines of the form NAME=value. */
function variables(text: string): Record<string, string> {
  const found = text.matchAll(/^(?:Environment=)?([A-Z_]+)=(.*)$/gm);
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value]));
}

/** Checks that the settings are valid and that a stop may take as long as it needs. */
function fits(environment: Record<string, unknown>, grace: number): void {
  const settings = filledIn({ ...environmentOf(image), ...environment });
  const { stopDelay, stopTimeout, port: own, host } = readConfig(settings);
  assert.deepEqual([own, host], [port, '0.0.0.0']);
  assert.ok(grace > stopDelay + stopTimeout, `${grace} s are too few`);
}

const seconds = (text: string) => Number(/^(\d+)s$/.exec(text)?.[1]);

it('deployment files name existing settings only', () => {
  let count = 0;
  for (const [path, text] of files) {
    for (const [name] of text.matchAll(/\bSWITCHBOARD_[A-Z0-9_]+/g)) {
      assert.deepEqual(unknownSettings({ [name]: '' }), [], path);
      count++;
    }
  }
  assert.ok(count > 30);
});

describe('compose', () => {
  for (const [path, nodes] of [
    ['deploy/compose/embedded.yml', ['switchboard']],
    ['deploy/compose/postgres.yml', ['switchboard-1', 'switchboard-2']],
  ] as const) {
    const { services, networks, volumes } = only(path);

    it(`runs nodes that can be stopped in time and write nowhere else: ${path}`, () => {
      for (const name of nodes) {
        const node = services[name];
        fits(node.environment, seconds(node.stop_grace_period));
        assert.deepEqual([node.read_only, node.cap_drop], [true, ['ALL']]);
        assert.deepEqual(node.security_opt, ['no-new-privileges:true']);
        const writable = [...node.tmpfs, ...(node.volumes ?? [])].join(' ');
        assert.match(writable, /\/data\b/);
        assert.equal(node.ports, undefined, 'nothing bypasses the proxy');
      }
    });

    it(`connects the proxy to all nodes, and the nodes trust the proxy: ${path}`, () => {
      const { environment, depends_on: after } = services.caddy;
      assert.equal(environment.NODES, nodes.map((name) => `${name}:${port}`).join(' '));
      assert.deepEqual(Object.keys(after), nodes);
      const { subnet } = networks.front.ipam.config[0];
      for (const name of nodes) {
        assert.equal(services[name].environment.SWITCHBOARD_TRUST_PROXY, subnet);
      }
    });

    it(`refers to existing names only and requires the placeholders: ${path}`, () => {
      for (const service of Object.values<Tree>(services)) {
        for (const name of service.networks) assert.ok(name in networks, name);
        for (const volume of service.volumes ?? []) {
          const [name = ''] = volume.split(':');
          assert.ok(name in volumes || files.has(join('deploy/compose', name)), name);
        }
      }
      const placeholders = (files.get(path) ?? '').matchAll(/\$\{(\w+)([^}]*)\}/g);
      const example = variables(files.get(path.replace('.yml', '.env')) ?? '');
      const names = [...placeholders].map(([, name = '', otherwise]) => {
        assert.equal(otherwise, ':?', `${name} may be omitted`);
        return name;
      });
      assert.deepEqual([...new Set(names)].toSorted(), Object.keys(example).toSorted());
    });
  }
});

describe('Kubernetes', () => {
  const folder = 'deploy/kubernetes';
  const { resources, images } = only(`${folder}/kustomization.yaml`);
  const deployment = only(`${folder}/deployment.yaml`);
  const pod = deployment.spec.template.spec;
  const container = pod.containers[0];

  it('applies every existing manifest', () => {
    const there = [...yaml.keys()]
      .filter((path) => path.startsWith(`${folder}/`) && !path.endsWith('kustomization.yaml'))
      .map((path) => path.slice(folder.length + 1).replace('.example', ''));
    assert.deepEqual([...resources].toSorted(), there.toSorted());
    assert.equal(images[0].name, container.image);
    const KINDS: Record<string, string> = {
      Namespace: 'v1',
      ConfigMap: 'v1',
      Secret: 'v1',
      Service: 'v1',
      Deployment: 'apps/v1',
      PodDisruptionBudget: 'policy/v1',
      NetworkPolicy: 'networking.k8s.io/v1',
      Kustomization: 'kustomize.config.k8s.io/v1beta1',
    };
    for (const [path, documents] of yaml) {
      if (!path.startsWith(`${folder}/`)) continue;
      for (const { kind, apiVersion } of documents) assert.equal(apiVersion, KINDS[kind], path);
    }
  });

  it('gives the pods valid settings and time to stop', () => {
    const named = container.envFrom.map((one: Tree) => (one.configMapRef ?? one.secretRef).name);
    const settings = only(`${folder}/settings.yaml`);
    const secret = only(`${folder}/secret.example.yaml`);
    assert.deepEqual(named, [settings.metadata.name, secret.metadata.name]);
    fits({ ...settings.data, ...secret.stringData }, pod.terminationGracePeriodSeconds);
    for (const value of Object.values(settings.data)) assert.equal(typeof value, 'string');
    const secrets = Object.values(SETTINGS).filter((one) => 'secret' in one && one.secret);
    for (const { name } of secrets) assert.ok(!(name in settings.data), `${name} is a secret`);
  });

  it('keeps variables named after services out of the settings', () => {
    const { name } = only(`${folder}/service.yaml`).metadata;
    const link = `${String(name).toUpperCase()}_PORT`;
    assert.throws(() => readConfig({ [link]: 'tcp://10.0.0.1:80' }), 'the variable is a setting');
    assert.equal(pod.enableServiceLinks, false);
  });

  it('drops all unneeded privileges', () => {
    assert.deepEqual(
      [pod.securityContext.runAsNonRoot, pod.securityContext.runAsUser],
      [true, uid],
    );
    assert.equal(pod.automountServiceAccountToken, false);
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const volumes = pod.volumes.map((one: Tree) => one.name);
    for (const { name } of container.volumeMounts) assert.ok(volumes.includes(name), name);
  });

  it('selects the pods by the same labels everywhere, at their port', () => {
    const { labels } = deployment.spec.template.metadata;
    const service = only(`${folder}/service.yaml`).spec;
    const network = only(`${folder}/network.yaml`).spec;
    for (const selector of [
      deployment.spec.selector.matchLabels,
      service.selector,
      only(`${folder}/disruption.yaml`).spec.selector.matchLabels,
      network.podSelector.matchLabels,
      pod.topologySpreadConstraints[0].labelSelector.matchLabels,
    ]) {
      assert.deepEqual(selector, labels);
    }
    const [{ name, containerPort }] = container.ports;
    assert.deepEqual([name, containerPort], [service.ports[0].targetPort, port]);
    assert.equal(network.ingress[0].ports[0].port, name);
  });

  it('probes health where the service serves it', async () => {
    await using sb = await startTestService('sqlite');
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      const { path, port: at } = container[probe].httpGet;
      assert.equal(at, container.ports[0].name);
      assert.equal((await sb.as(undefined).get(path)).status, 200, path);
    }
    assert.equal(container.livenessProbe.httpGet.path, '/healthz');
    assert.equal(container.readinessProbe.httpGet.path, '/readyz');
  });
});

describe('systemd', () => {
  const path = 'deploy/systemd/switchboard.service';
  const unit = files.get(path) ?? '';
  const analyze = requirement('systemd-analyze', 'apt-get install systemd');

  it('gives the service valid settings and time to stop', () => {
    const environment = {
      ...variables(unit),
      ...variables(files.get('deploy/systemd/environment') ?? ''),
    };
    const { stopDelay, stopTimeout } = readConfig(environment);
    assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) > stopDelay + stopTimeout);
    const [, start = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
    assert.equal(start, '/usr/bin/env node /opt/switchboard/bin/switchboard.js serve');
  });

  it('accepts the unit and finds little left to harden', { skip: analyze.skip }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-unit-'));
    try {
      const file = join(folder, 'switchboard.service');
      // systemd checks the unit without an installation.
      writeFileSync(file, unit.replace(/^ExecStart=.*$/m, `ExecStart=${process.execPath} serve`));
      const run = (...args: string[]) =>
        execFileSync(analyze.path ?? '', args, { encoding: 'utf8', stdio: 'pipe' });
      run('verify', '--man=no', file);
      run('security', '--offline=true', '--threshold=20', file);
      writeFileSync(file, unit.replace(/^ExecStart=.*$/m, 'ExecStart=/no/such/program'));
      assert.throws(() => run('verify', '--man=no', file));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
