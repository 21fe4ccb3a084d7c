/* The dashboard for Grafana, deploy/grafana/switchboard.json, from a table of its panels. */

type Unit = 'short' | 's' | 'ops' | 'percentunit' | 'bytes';

interface Panel {
  title: string;
  help: string;
  unit: Unit;
  /** Several lines of one panel, each with what it is called; `{{label}}` stands for the value of a label. */
  lines: readonly (readonly [expression: string, legend: string])[];
}

/** Those that are chosen above the dashboard. */
const NODES = 'instance=~"$instance"';

/** Nodes say the same of the store as a whole, so one of them is believed. */
const ofStore = (metric: string, ...labels: readonly string[]) =>
  labels.length > 0 ? `max by (${labels.join(', ')}) (${metric})` : `max(${metric})`;

const rate = (metric: string, matchers = '') =>
  `rate(${metric}{${[NODES, matchers].filter(Boolean).join(', ')}}[$__rate_interval])`;

const quantile = (share: number, histogram: string, label?: string) =>
  `histogram_quantile(${share}, sum by (${label ? `le, ${label}` : 'le'}) (${rate(`${histogram}_bucket`)}))`;

const REQUESTS = 'switchboard_http_request_duration_seconds';
const DELIVERY = 'switchboard_delivery_duration_seconds';
const PING = 'switchboard_store_ping_duration_seconds';

const ROWS: Readonly<Record<string, readonly Panel[]>> = {
  'At a glance': [
    {
      title: 'Nodes',
      help: 'Nodes that have a lease, by role.',
      unit: 'short',
      lines: [[ofStore('switchboard_nodes', 'role'), '{{role}}']],
    },
    {
      title: 'Store',
      help: '1 while the store answers a node.',
      unit: 'short',
      lines: [[`switchboard_store_up{${NODES}}`, '{{instance}}']],
    },
    {
      title: 'Accepted',
      help: 'Messages that were stored durably, a second.',
      unit: 'ops',
      lines: [[`sum(${rate('switchboard_messages_accepted_total')})`, 'accepted']],
    },
    {
      title: 'Sent',
      help: 'Messages that were sent or came to nothing, a second.',
      unit: 'ops',
      lines: [[`sum by (state) (${rate(`${DELIVERY}_count`)})`, '{{state}}']],
    },
  ],
  'The queue': [
    {
      title: 'Oldest message that is due',
      help: 'How long it has been due. It is near 0 while everything is sent in time.',
      unit: 's',
      lines: [[`switchboard_queue_oldest_due_seconds{${NODES}}`, '{{instance}}']],
    },
    {
      title: 'Queued',
      help: 'Messages that wait, also those that are not due yet, by channel.',
      unit: 'short',
      lines: [[ofStore('switchboard_queue_depth', 'channel'), '{{channel}}']],
    },
    {
      title: 'Being sent',
      help: 'Messages under way. A node sends 512 at once at the most.',
      unit: 'short',
      lines: [[`switchboard_delivery_in_flight{${NODES}}`, '{{instance}}']],
    },
    {
      title: 'Events that wait for webhooks',
      help: 'Events in feeds that were not brought forward to the webhook of their application yet.',
      unit: 'short',
      lines: [[ofStore('switchboard_webhook_events_behind'), 'behind']],
    },
  ],
  Delivery: [
    {
      title: 'Tries by outcome',
      help: 'transient is tried again, limited waits as the channel says, permanent failed for good.',
      unit: 'ops',
      lines: [[`sum by (outcome) (${rate('switchboard_delivery_attempts_total')})`, '{{outcome}}']],
    },
    {
      title: 'Tries that failed, by channel',
      help: 'The share of tries that were neither sent nor limited.',
      unit: 'percentunit',
      lines: [
        [
          `sum by (channel) (${rate('switchboard_delivery_attempts_total', 'outcome!~"sent|limited"')}) / sum by (channel) (${rate('switchboard_delivery_attempts_total')})`,
          '{{channel}}',
        ],
      ],
    },
    {
      title: 'From accepted to settled, 95 of 100',
      help: 'How long messages take, retries and pauses included, by channel.',
      unit: 's',
      lines: [[quantile(0.95, DELIVERY, 'channel'), '{{channel}}']],
    },
    {
      title: 'Integrations that send nothing',
      help: 'credentials: the channel refuses them. rate_limit passes by itself. failing and gone are webhooks of applications.',
      unit: 'short',
      lines: [
        [
          ofStore('switchboard_integrations_paused', 'channel', 'reason'),
          '{{channel}}: {{reason}}',
        ],
      ],
    },
    {
      title: 'Failing integrations',
      help: 'Two consecutive attempts or a check failed, and nothing was sent since. events: webhooks of applications.',
      unit: 'short',
      lines: [[ofStore('switchboard_integrations_failing', 'channel'), '{{channel}}']],
    },
    {
      title: 'Who sends',
      help: 'Integrations that each node sends for, and those that none does.',
      unit: 'short',
      lines: [
        [`switchboard_integrations_owned{${NODES}}`, '{{instance}}'],
        [ofStore('switchboard_integrations_unowned'), 'nobody'],
      ],
    },
    {
      title: 'Calls of vendors',
      help: 'refused: not genuine, or the secret is wrong. unreadable: genuine and not understood.',
      unit: 'ops',
      lines: [[`sum by (outcome) (${rate('switchboard_hook_calls_total')})`, '{{outcome}}']],
    },
  ],
  Requests: [
    {
      title: 'Requests by status',
      help: 'All routes together.',
      unit: 'ops',
      lines: [[`sum by (status) (${rate(`${REQUESTS}_count`)})`, '{{status}}']],
    },
    {
      title: 'How long requests take',
      help: 'All routes together; long polls of the feed are among them.',
      unit: 's',
      lines: [
        [quantile(0.5, REQUESTS), '50 of 100'],
        [quantile(0.95, REQUESTS), '95 of 100'],
        [quantile(0.99, REQUESTS), '99 of 100'],
      ],
    },
    {
      title: 'Errors by route',
      help: 'Answers of 500 and above.',
      unit: 'ops',
      lines: [
        [
          `sum by (route, status) (${rate(`${REQUESTS}_count`, 'status=~"5.."')})`,
          '{{route}} {{status}}',
        ],
      ],
    },
    {
      title: 'Open sockets',
      help: 'Feeds that are streamed, and pages of the web chat.',
      unit: 'short',
      lines: [[`sum by (kind) (switchboard_sockets_open{${NODES}})`, '{{kind}}']],
    },
  ],
  'Process and store': [
    {
      title: 'How fast the store answers',
      help: 'The simplest question there is, asked every two seconds.',
      unit: 's',
      lines: [
        [quantile(0.5, PING), '50 of 100'],
        [quantile(0.99, PING), '99 of 100'],
      ],
    },
    {
      title: 'Write-ahead log of the embedded store',
      help: 'More than 64 MiB means that another process reads the file without end.',
      unit: 'bytes',
      lines: [[`switchboard_store_log_bytes{${NODES}}`, '{{instance}}']],
    },
    {
      title: 'Connections to PostgreSQL',
      help: 'Of the pool of each node, and how many statements wait for one.',
      unit: 'short',
      lines: [
        [`sum by (state) (switchboard_database_connections{${NODES}})`, '{{state}}'],
        [`sum(switchboard_database_connections_awaited{${NODES}})`, 'awaited'],
      ],
    },
    {
      title: 'Memory',
      help: 'Resident memory of each node.',
      unit: 'bytes',
      lines: [[`process_resident_memory_bytes{${NODES}}`, '{{instance}}']],
    },
    {
      title: 'Processor',
      help: 'Cores that each node uses.',
      unit: 'short',
      lines: [[rate('process_cpu_seconds_total'), '{{instance}}']],
    },
    {
      title: 'Event loop',
      help: 'By how much what was to happen happened late, 99 of 100.',
      unit: 's',
      lines: [[`nodejs_eventloop_lag_p99_seconds{${NODES}}`, '{{instance}}']],
    },
    {
      title: 'Spans',
      help: 'Of traces, where there are any. dropped and failed: the collector is slow or away.',
      unit: 'ops',
      lines: [[`sum by (outcome) (${rate('switchboard_trace_spans_total')})`, '{{outcome}}']],
    },
    {
      title: 'Versions',
      help: 'Which version runs where.',
      unit: 'short',
      lines: [[`count by (version, role) (switchboard_build_info)`, '{{version}} {{role}}']],
    },
  ],
};

/** How many panels fill a line, and their size in the units of Grafana. */
const ACROSS = 4;
const WIDTH = 24 / ACROSS;
const HEIGHT = 8;
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

export function dashboardJson(): string {
  const panels: object[] = [];
  let y = 0;
  for (const [title, row] of Object.entries(ROWS)) {
    const gridPos = { h: 1, w: 24, x: 0, y };
    panels.push({ id: panels.length + 1, type: 'row', title, collapsed: false, gridPos });
    y++;
    for (const [i, panel] of row.entries()) {
      const place = { x: (i % ACROSS) * WIDTH, y: y + Math.floor(i / ACROSS) * HEIGHT };
      const position = { h: HEIGHT, w: WIDTH, ...place };
      panels.push(panelJson(panels.length + 1, panel, position));
    }
    y += Math.ceil(row.length / ACROSS) * HEIGHT;
  }
  const dashboard = {
    title: 'Switchboard',
    uid: 'switchboard',
    tags: ['switchboard'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: VARIABLES },
    panels,
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

function panelJson(id: number, { title, help, unit, lines }: Panel, gridPos: object): object {
  return {
    id,
    type: 'timeseries',
    title,
    description: help,
    datasource: DATASOURCE,
    gridPos,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
    targets: lines.map(([expr, legendFormat], i) => ({
      refId: String.fromCodePoint(65 + i),
      datasource: DATASOURCE,
      expr,
      legendFormat,
    })),
  };
}

const VARIABLES = [
  { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
  {
    name: 'instance',
    label: 'Node',
    type: 'query',
    datasource: DATASOURCE,
    query: 'label_values(switchboard_build_info, instance)',
    refresh: 2,
    multi: true,
    includeAll: true,
    allValue: '.*',
  },
];
