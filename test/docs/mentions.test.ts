import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Command } from 'commander';

import manifest from '../../package.json' with { type: 'json' };
import { createProgram } from '../../src/cli/program.ts';
import { openApiPath } from '../../src/http/openapi/document.ts';
import { type TestService, startTestService } from '../support/service/service.ts';
import { readSources } from '../support/sources.ts';

/* Routes, commands and scripts that the documentation mentions in inline code exist. */

const pages = [...readSources('*.md', 'docs/**/*.md', 'sdk/README.md', 'examples/**/*.md')].filter(
  ([path]) => path !== 'CHANGELOG.md',
);

/** All inline code with its page. */
const mentioned = pages.flatMap(([page, text]) =>
  [...text.replaceAll(/^ *```.*?^ *```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => ({
    page,
    code,
  })),
);

const faultsIn = (faultOf: (code: string) => boolean) =>
  mentioned.filter(({ code }) => faultOf(code)).map(({ page, code }) => `${page}: ${code}`);

describe('inline code in the documentation', () => {
  let sb: TestService;
  before(async () => {
    sb = await startTestService('sqlite');
  });
  after(() => sb[Symbol.asyncDispose]());

  it('names existing routes', () => {
    const routes = sb.service.routes.map(({ method, path }) => `${method} ${openApiPath(path)}`);
    const known = new Set(routes.map((route) => route.replaceAll(/\{\w+\}/g, '{}')));
    // All of ours begin with the version; others belong to vendors.
    const isUnknown = (code: string) => {
      const [call] = /^(?:GET|POST|PUT|DELETE) \/1\/[\w/{}]+(?=$|\?| )/.exec(code) ?? [];
      return call !== undefined && !known.has(call.replaceAll(/\{\w+\}/g, '{}'));
    };
    assert.deepEqual(faultsIn(isUnknown), []);
    assert.ok(isUnknown('GET /1/nothing'));
    assert.ok(!isUnknown('DELETE /1/messages/{id}'));
  });

  it('names existing commands and options', () => {
    assert.deepEqual(faultsIn(isUnknownCommand), []);
    assert.ok(isUnknownCommand('switchboard nothing'));
    assert.ok(isUnknownCommand('switchboard token --nothing'));
    assert.ok(!isUnknownCommand('switchboard integrations check 7 --json'));
  });

  it('names existing npm scripts', () => {
    const isUnknown = (code: string) => {
      const [, name] = /^(?:\w+=\S+ )?npm run (?:-s )?([\w:-]+)/.exec(code) ?? [];
      return name !== undefined && !(name in manifest.scripts) && !code.includes(' -w sdk');
    };
    assert.deepEqual(faultsIn(isUnknown), []);
    assert.ok(isUnknown('npm run nothing'));
  });
});

function isUnknownCommand(code: string): boolean {
  const [, rest] = /^(?:npm run -s switchboard --|switchboard) ([a-z-].*)$/.exec(code) ?? [];
  if (rest === undefined) return false;
  const words = rest.split(' ');
  const named = ({ commands }: Command, name?: string) =>
    commands.find((one) => one.name() === name || (name && one.aliases().includes(name)));
  const command = named(createProgram(), words[0]);
  if (!command) return true;
  const inner = named(command, words[1]) ?? command;
  const options = inner.options.map(({ long }) => long);
  return words.some((word) => word.startsWith('--') && !options.includes(word));
}
