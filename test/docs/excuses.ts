/*
 * Blocks of the documentation that test/docs/snippets.slow.test.ts does not run, and why: the page, words of the
 * block, the reason. Their syntax is checked nevertheless. An excuse without a matching block fails the test.
 */
export const EXCUSES: readonly (readonly [page: string, words: string, reason: string])[] = [
  ['README.md', 'npm start', '.ci/run installs; test/docs/quick-start.slow.test.ts starts'],
  ['README.md', 'npm test', 'it is what runs this'],
  ['CONTRIBUTING.md', 'npm run check', 'what .ci/run does, and faults and figures that take long'],
  [
    'CONTRIBUTING.md',
    'channel new',
    'it changes the source; test/cli/channel.slow.test.ts runs it',
  ],
  ['CONTRIBUTING.md', '--channel', 'runs tests of a channel that does not exist'],
  ['docs/start.md', '', 'test/docs/quick-start.slow.test.ts runs all of it, in order'],
  ['docs/recipes/bot.md', '', 'test/docs/quick-start.slow.test.ts runs all of it, in order'],
  ['examples/echo-bot/README.md', '', 'test/examples.slow.test.ts runs all of it'],
  ['examples/notifier/README.md', '', 'test/examples.slow.test.ts runs all of it'],
  ['examples/support-desk/README.md', '', 'test/examples.slow.test.ts runs all of it'],
  ['examples/tested-bot/README.md', '', 'test/examples.slow.test.ts runs all of it'],
  ['docs/command-line.md', 'switchboard tail', 'never ends; test/cli/remote.slow.test.ts runs it'],
  [
    'docs/observing.md',
    'docker run',
    'no registry is reachable here; test/operation/traces.slow.test.ts has a collector',
  ],
  ['docs/scaling.md', 'switchboard serve', 'never ends; test/nodes/roles.slow.test.ts runs it'],
  ['docs/scaling.md', 'pgbouncer', 'settings; test/nodes/pgbouncer.slow.test.ts runs with them'],
  ['docs/scaling.md', 'npm run bench', 'measures for many minutes'],
  ['docs/scaling.md', 'citus', 'there is no Citus here, and the page says so'],
  ['docs/sending.md', '5615', 'there is no such message; test/cli/remote.slow.test.ts resends'],
  ['docs/testing.md', 'switchboard listen', 'never ends; test/cli/remote.slow.test.ts runs it'],
  [
    'docs/testing.md',
    'integrations check',
    'asks the vendor; test/cli/remote.slow.test.ts runs it',
  ],
  ['docs/testing.md', 'switchboard serve', 'never ends; test/cli/serve.slow.test.ts runs it'],
  ['docs/production.md', 'docker', 'test/deploy/image.slow.test.ts follows these steps'],
  ['docs/upgrading.md', 'docker', 'test/deploy/image.slow.test.ts follows these steps'],
  ['docs/channels/setup/matrix.md', '/_matrix/', 'asks a homeserver of yours'],
];
