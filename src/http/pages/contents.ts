/* The documentation pages in reading order. Source of the navigation, docs/README.md and /llms.txt. */

export interface Page {
  /** Path of the file in docs/ without `.md`; also the path below /docs/. */
  name: string;
  title: string;
  /** One line about the page. */
  about: string;
  /** Words that readers search for and the page does not use. */
  keywords?: string;
}

export interface Section {
  title: string;
  pages: readonly Page[];
}

export const SUMMARY =
  'One REST API in front of every messaging channel: applications post Activity Streams 2.0 activities; Switchboard stores them durably, delivers them in order, and reports delivery states and incoming messages.';

const page = (name: string, title: string, about: string, keywords?: string): Page => ({
  name,
  title,
  about,
  ...(keywords !== undefined && { keywords }),
});

/** The index page. */
export const HOME = page('README', 'Documentation', 'All pages.');

/** Pages outside docs/, with their files. */
export const EXTERNAL_PAGES: Readonly<Record<string, string>> = {
  architecture: 'ARCHITECTURE.md',
  changelog: 'CHANGELOG.md',
  python: 'clients/python/README.md',
  sdk: 'sdk/README.md',
  'examples/README': 'examples/README.md',
  'examples/echo-bot/README': 'examples/echo-bot/README.md',
  'examples/notifier/README': 'examples/notifier/README.md',
  'examples/support-desk/README': 'examples/support-desk/README.md',
  'examples/tested-bot/README': 'examples/tested-bot/README.md',
};

/** Generated from the OpenAPI document, not from a file; a page for each resource is below it. */
export const REFERENCE = page(
  'reference',
  'API reference',
  'Every endpoint with its parameters, responses and errors.',
);

export const CONTENTS: readonly Section[] = [
  {
    title: 'Get started',
    pages: [
      page(
        'start',
        'Quick start',
        'From installation to a conversation in the sandbox.',
        'install quickstart getting started tutorial first message npx',
      ),
      page('concepts', 'Concepts', 'The terms of the API and these pages.'),
    ],
  },
  {
    title: 'Messaging',
    pages: [
      page(
        'sending',
        'Sending',
        'Message content, routing and delivery states.',
        'attachment file media batch bulk retry',
      ),
      page(
        'messaging/scheduling',
        'Scheduling',
        'Send at a time, in the zone of the recipient.',
        'schedule later delay delayed send_at',
      ),
      page(
        'messaging/quiet-hours',
        'Quiet hours',
        'When messages wait, in the zone of the recipient.',
        'night do not disturb window defer',
      ),
      page(
        'messaging/pools',
        'Pools',
        'Several providers for the same addresses.',
        'failover load balancing providers weighted',
      ),
      page(
        'messaging/routes',
        'Routes',
        'Another channel if a message is not read in time.',
        'fallback escalation cascade',
      ),
      page(
        'channels/templates',
        'Templates and windows',
        'Templates of vendors and your own, and when vendors accept free text.',
        'whatsapp template liquid 24 hours window 131047 63016 language',
      ),
      page(
        'sandbox',
        'Sandbox',
        'Try channels without an account: phones, answers and faults on demand.',
      ),
      page(
        'messaging/contacts',
        'Contacts',
        'People, with their addresses on all channels.',
        'person customer address phone number external id search',
      ),
      page(
        'messaging/conversations',
        'Conversations',
        'The messages to and from a person, in one timeline.',
        'inbox timeline unread history',
      ),
      page(
        'messaging/consent',
        'Consent',
        'STOP, unsubscribe links, bounces: what people allow, and the proof.',
        'opt-out opt-in marketing suppression stop unsubscribe bounce complaint',
      ),
      page(
        'receiving',
        'Receiving',
        'Incoming messages and events: feed, webhook, WebSocket.',
        'inbound incoming reply answer delivery report read receipt dlr',
      ),
      page(
        'webhooks',
        'Webhooks',
        'Receive events at your URL: verify signatures in five languages, test, rotate, recover.',
        'hmac callback endpoint standard webhooks',
      ),
      page(
        'channels/choosing',
        'Choosing a channel',
        'A decision table with costs, reach and receipts.',
        'sms text message cost price pricing compare',
      ),
      page('channels/README', 'Channels', 'Features and setup of each channel.'),
      page(
        'testing',
        'Testing',
        'Dry runs, channels without a vendor, and events on your machine.',
        'sandbox mock emulator localhost tunnel ngrok',
      ),
    ],
  },
  {
    title: 'API',
    pages: [
      REFERENCE,
      page('errors', 'Errors', 'Every error code and what to do.'),
      page(
        'idempotency',
        'Idempotency',
        'Repeat requests without sending twice.',
        'duplicate retry',
      ),
      page(
        'rate-limits',
        'Rate limits',
        'Limits of the API and of channels, and what happens beyond them.',
        '429 throttling quota too many requests',
      ),
    ],
  },
  {
    title: 'Tools',
    pages: [
      page(
        'client',
        'TypeScript client',
        'The client for TypeScript and JavaScript.',
        'sdk javascript node npm',
      ),
      page(
        'python',
        'Python client',
        'The client for Python, synchronous and asynchronous.',
        'sdk pip',
      ),
      page(
        'command-line',
        'Command line',
        'Send messages and operate the service from a terminal.',
        'cli terminal shell',
      ),
      page(
        'mcp',
        'MCP server',
        'Tools for assistants, over the Model Context Protocol.',
        'model context protocol agent assistant llm',
      ),
    ],
  },
  {
    title: 'Recipes',
    pages: [
      page('recipes/bot', 'A bot that answers', 'A program that replies to every message.'),
      page(
        'recipes/alerts',
        'Alerts from CI',
        'Send failed builds to Slack, and urgent ones by SMS.',
      ),
      page('recipes/fallback', 'Fallback to SMS', 'Read within two minutes, else SMS.'),
      page('recipes/reminders', 'Reminders', 'Messages at nine, in the zone of each recipient.'),
      page(
        'recipes/quiet-hours',
        'Marketing by day only',
        'Offers that leave during the day only.',
      ),
      page('recipes/pools', 'Two SMS providers', 'One sends what the other cannot.'),
      page(
        'recipes/whatsapp',
        'WhatsApp notifications from zero',
        'Templates and answers by WhatsApp, first without an account.',
      ),
      page('recipes/support', 'A support inbox', 'Conversations from all channels in one list.'),
      page(
        'recipes/migrating',
        'Replacing existing senders',
        'Move from direct vendor calls, one channel at a time.',
      ),
      page('examples/README', 'Examples', 'Small programs that use the client.'),
    ],
  },
  {
    title: 'Operations',
    pages: [
      page(
        'production',
        'Running in production',
        'Deployment, important settings and runbooks.',
        'docker kubernetes systemd nginx caddy reverse proxy container install',
      ),
      page('configuration', 'Configuration', 'Every setting.'),
      page(
        'observing',
        'Monitoring',
        'Health, metrics, traces and logs.',
        'prometheus grafana opentelemetry metrics alerts',
      ),
      page('backups', 'Backups', 'Backup, restore, and moving to PostgreSQL.', 'backup restore'),
      page(
        'upgrading',
        'Upgrading',
        'Upgrading a single node or a cluster.',
        'upgrade update version rollback downgrade uninstall',
      ),
      page(
        'scaling',
        'Scaling',
        'Several nodes, data growth and limits.',
        'high availability ha cluster nodes replicas load balancer',
      ),
      page('performance', 'Performance', 'Benchmarks, and how to reproduce them.'),
    ],
  },
  {
    title: 'Trust',
    pages: [
      page('reliability', 'Reliability', 'Guarantees, and the tests behind them.'),
      page(
        'security',
        'Security',
        'Threats, protections, and what you must do.',
        'encryption password hardening',
      ),
      page(
        'privacy',
        'Data retention and privacy',
        'What is stored about people, for how long, and how to delete it.',
        'gdpr personal data erase erasure compliance pii',
      ),
    ],
  },
  {
    title: 'Project',
    pages: [
      page('architecture', 'Architecture', 'How the parts of the service work together.'),
      page(
        'contributing/security-tests',
        'Security tests',
        'Each protection with the tests that hold it.',
      ),
      page('decisions/README', 'Decisions', 'Design decisions and their reasons.'),
      page('licenses', 'Licenses', 'Licenses of all dependencies.'),
      page('changelog', 'Changelog', 'Changes by release.'),
    ],
  },
];

/** Path of a page. */
export function addressOf(name: string): string {
  const short = name.replace(/(^|\/)README$/, '');
  return short === '' ? '/docs' : `/docs/${short}`;
}
