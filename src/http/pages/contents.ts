/* What there is to read, and in which order. The navigation, docs/README.md and /llms.txt are made from it. */

export interface Page {
  /** The path of the file in docs/, without `.md`; also that of the page below /docs/. */
  name: string;
  title: string;
  /** A line that says what one learns there. */
  about: string;
}

export interface Section {
  title: string;
  pages: readonly Page[];
}

export const SUMMARY =
  'One REST interface in front of every messaging channel: applications post Activity Streams 2.0 activities, and Switchboard stores them durably, gets them to the recipients in order, and tells what became of them and what people write.';

const page = (name: string, title: string, about: string): Page => ({ name, title, about });

/** The page that lists all others. */
export const HOME = page('README', 'Documentation', 'Everything there is to read.');

/** Pages that do not lie in docs/, and where they lie. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  changelog: 'CHANGELOG.md',
  sdk: 'sdk/README.md',
  'examples/README': 'examples/README.md',
  'examples/echo-bot/README': 'examples/echo-bot/README.md',
  'examples/notifier/README': 'examples/notifier/README.md',
  'examples/support-desk/README': 'examples/support-desk/README.md',
};

/** What is made by the running service, and not from a file. */
export const REFERENCE = page(
  'reference',
  'API reference',
  'Every call, with what it takes, what it answers and what can go wrong.',
);

export const CONTENTS: readonly Section[] = [
  {
    title: 'Begin',
    pages: [
      page('start', 'Quick start', 'From nothing to a conversation in the built-in web chat.'),
      page('concepts', 'Concepts', 'The dozen words that everything else is said in.'),
    ],
  },
  {
    title: 'Use',
    pages: [
      page('sending', 'Sending', 'What a message can say, where it goes, and what became of it.'),
      page('receiving', 'Receiving', 'What people write, and what happens: feed, webhook, socket.'),
      page('channels/README', 'Channels', 'What each channel carries, and how to set it up.'),
      page('errors', 'Errors', 'Every code, and what to do about it.'),
      REFERENCE,
    ],
  },
  {
    title: 'Tools',
    pages: [
      page('client', 'Client', 'The client for TypeScript and JavaScript.'),
      page('command-line', 'Command line', 'Sending, following and operating from a terminal.'),
      page('mcp', 'Assistants', 'A server of the Model Context Protocol.'),
    ],
  },
  {
    title: 'Recipes',
    pages: [
      page('recipes/bot', 'A bot that answers', 'A program that answers whoever writes.'),
      page('recipes/alerts', 'Alerts from CI', 'Failed builds to Slack and, at night, by SMS.'),
      page('recipes/support', 'A support inbox', 'Conversations of all channels in one list.'),
      page(
        'recipes/migrating',
        'From hand-written senders',
        'Replacing calls of vendors one channel at a time.',
      ),
      page('examples/README', 'Examples', 'Small programs over the client, to start from.'),
    ],
  },
  {
    title: 'Run',
    pages: [
      page('production', 'In production', 'Ways to run it, settings that matter, what to do when.'),
      page('configuration', 'Configuration', 'Every setting.'),
      page('observing', 'Observing', 'Health, metrics, traces and logs.'),
      page('backups', 'Backups', 'Backups, restoring, and moving to PostgreSQL.'),
      page('upgrading', 'Upgrading', 'To a newer version, on one node and on several.'),
      page('scaling', 'Scaling', 'Many nodes, growth, and how far it goes.'),
      page('performance', 'Performance', 'Figures, and how to measure your own.'),
    ],
  },
  {
    title: 'Trust',
    pages: [
      page('reliability', 'Reliability', 'What is promised, and how each promise is tried.'),
      page('security', 'Security', 'What is protected, and the test that shows it.'),
      page('licences', 'Licences', 'Of everything that the service needs.'),
      page('decisions/README', 'Decisions', 'Why it is built as it is.'),
      page('changelog', 'Changelog', 'What has changed.'),
    ],
  },
];

/** Where a page is served. */
export function addressOf(name: string): string {
  const short = name.replace(/(^|\/)README$/, '');
  return short === '' ? '/docs' : `/docs/${short}`;
}
