import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { JUDGES } from '../../docs/generate/channel-judges.ts';
import { CHANNELS } from '../../src/channels/index.ts';
import { ROOT } from '../support/sources.ts';

describe('the list of channel judges', () => {
  it('the list of channel judges has an entry for every channel and no other', () => {
    const channels = CHANNELS.map(({ name }) => name);
    assert.deepEqual(Object.keys(JUDGES).toSorted(), channels.toSorted());
    for (const [channel, judges] of Object.entries(JUDGES)) assert.ok(judges.length > 0, channel);
  });

  for (const [channel, judges] of Object.entries(JUDGES)) {
    for (const { kind, name, date, test } of judges) {
      it(`names a test of ${channel} that uses ${kind} ${name}`, () => {
        assert.equal(new Date(date).toISOString().slice(0, 10), date);
        const path = join(ROOT, test.file);
        assert.ok(existsSync(path), test.file);
        assert.ok(
          readFileSync(path, 'utf8').includes(test.mention),
          `${test.file}: ${test.mention}`,
        );
      });
    }
  }

  it('the list of channel judges names packages in their installed versions', () => {
    const manifests = [
      'package.json',
      'test/judges/teams/package.json',
      'test/judges/renderers/package.json',
    ];
    const versions = new Map(manifests.flatMap((file) => dependenciesIn(file)));
    const packages = Object.values(JUDGES)
      .flat()
      .filter(({ kind }) => kind.endsWith('package'));
    assert.ok(packages.length > 0);
    for (const { name } of packages) {
      const [, id = '', version] = /^(\S+) ([\d.]+)/.exec(name) ?? [];
      assert.equal(versions.get(id), version, name);
    }
  });
});

function dependenciesIn(file: string): [string, string][] {
  const manifest = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Record<string, object>;
  return [manifest['dependencies'], manifest['devDependencies']].flatMap((each) =>
    Object.entries((each ?? {}) as Record<string, string>),
  );
}
