/* Generates the Grafana dashboard, deploy/grafana/switchboard.json, from a table of its panels. */

type Unit = 'short' | 's' | 'ops' | 'percentunit' | 'bytes';

interface Panel {
  title: string;
  help: string;
  unit: Unit;
  /** The series of the panel, each with its legend; `{{label}}` stands for the value of a label. */
  lines: readonly (readonly [expression: string, legend: string])[];
}

/** The nodes selected at the top of the dashboard. */
const NODES = 'instance=~"$instance"';

/** Every node reports the same value for the store as a whole, so the maximum picks one. */
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
  Overview: [
    {
      title: 'Nodes',
      help: 'Nodes with a valid lease, by role.',
      unit: 'short',
      lines: [[ofStore('switchboard_nodes', 'role'), '{{role}}']],
    },
    {
      title: 'Store',
      help: '1 while the node can reach the store.',
      unit: 'short',
      lines: [[`switchboard_store_up{${NODES}}`, '{{instance}}']],
    },
    {
      title: 'Accepted',
      help: 'Messages accepted and stored, per second.',
      unit: 'ops',
      lines: [[`sum(${rate('switchboard_messages_accepted_total')})`, 'accepted']],
    },
    {
      title: 'Settled',
      help: 'Messages sent, failed or uncertain, per second.',
      unit: 'ops',
      lines: [[`sum by (state) (${rate(`${DELIVERY}_count`)})`, '{{state}}']],
    },
  ],
  Queue: [
    {
      title: 'Oldest due message',
      help: 'How long it has been due. Near 0 while delivery keeps up.',
      unit: 's',
      lines: [[`switchboard_queue_oldest_due_seconds{${NODES}}`, '{{instance}}']],
    },
    {
      title: 'Queued',
      help: 'Queued messages by channel, including those that are not due yet.',
      unit: 'short',
      lines: [[ofStore('switchboard_queue_depth', 'channel'), '{{channel}}']],
    },
    {
      title: 'In flight',
      help: 'Messages being sent. A node sends at most 512 at once.',
      unit: 'short',
      lines: [[`switchboard_delivery_in_flight{${NODES}}`, '{{instance}}']],
    },
    {
      title: 'Webhook backlog',
      help: 'Events that are not yet delivered to the webhook of their application.',
      unit: 'short',
      lines: [[ofStore('switchboard_webhook_events_behind'), 'behind']],
    },
  ],
  Delivery: [
    {
      title: 'Attempts by outcome',
      help: 'transient: will be retried. limited: the channel asked to wait. permanent: will not be retried.',
      unit: 'ops',
      lines: [[`sum by (outcome) (${rate('switchboard_delivery_attempts_total')})`, '{{outcome}}']],
    },
    {
      title: 'Sandbox',
      help: 'Messages accepted for the sandbox and attempts there, per second. No other panel counts them.',
      unit: 'ops',
      lines: [
        [`sum(${rate('switchboard_sandbox_messages_accepted_total')})`, 'accepted'],
        [
          `sum by (outcome) (${rate('switchboard_sandbox_attempts_total')})`,
          'attempts: {{outcome}}',
        ],
      ],
    },
    {
      title: 'Failed attempts by channel',
      help: 'The share of attempts that were neither sent nor limited.',
      unit: 'percentunit',
      lines: [
        [
          `sum by (channel) (${rate('switchboard_delivery_attempts_total', 'outcome!~"sent|limited"')}) / sum by (channel) (${rate('switchboard_delivery_attempts_total')})`,
          '{{channel}}',
        ],
      ],
    },
    {
      title: 'Time from accepted to settled, p95',
      help: 'Delivery time by channel, including retries and pauses.',
      unit: 's',
      lines: [[quantile(0.95, DELIVERY, 'channel'), '{{channel}}']],
    },
    {
      title: 'Paused integrations',
      help: 'credentials: the channel refused them. rate_limit: ends by itself. failing, gone: webhooks of applications.',
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
      title: 'Integrations that do not receive',
      help: 'Two consecutive live sessions failed, or the channel refused one, and none has lasted since.',
      unit: 'short',
      lines: [[ofStore('switchboard_integrations_not_receiving', 'channel'), '{{channel}}']],
    },
    {
      title: 'Integrations by node',
      help: 'Integrations that each node owns, and those without an owner.',
      unit: 'short',
      lines: [
        [`switchboard_integrations_owned{${NODES}}`, '{{instance}}'],
        [ofStore('switchboard_integrations_unowned'), 'unowned'],
      ],
    },
    {
      title: 'Inbound webhook requests',
      help: 'refused: the signature or secret is wrong. unreadable: genuine, but could not be parsed.',
      unit: 'ops',
      lines: [[`sum by (outcome) (${rate('switchboard_hook_calls_total')})`, '{{outcome}}']],
    },
  ],
  Requests: [
    {
      title: 'Requests by status',
      help: 'Over all routes.',
      unit: 'ops',
      lines: [[`sum by (status) (${rate(`${REQUESTS}_count`)})`, '{{status}}']],
    },
    {
      title: 'Request duration',
      help: 'Over all routes, including long polls of the feed.',
      unit: 's',
      lines: [
        [quantile(0.5, REQUESTS), 'p50'],
        [quantile(0.95, REQUESTS), 'p95'],
        [quantile(0.99, REQUESTS), 'p99'],
      ],
    },
    {
      title: 'Errors by route',
      help: 'Responses with status 500 and above.',
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
      help: 'WebSockets of event feeds and of the web chat.',
      unit: 'short',
      lines: [[`sum by (kind) (switchboard_sockets_open{${NODES}})`, '{{kind}}']],
    },
  ],
  'Process and store': [
    {
      title: 'Store latency',
      help: 'Duration of a trivial query, sent every two seconds.',
      unit: 's',
      lines: [
        [quantile(0.5, PING), 'p50'],
        [quantile(0.99, PING), 'p99'],
      ],
    },
    {
      title: 'Write-ahead log of the embedded store',
      help: 'More than 64 MiB means that another process keeps a read transaction open.',
      unit: 'bytes',
      lines: [[`switchboard_store_log_bytes{${NODES}}`, '{{instance}}']],
    },
    {
      title: 'Connections to PostgreSQL',
      help: 'Connections in the pools of the nodes, and statements that wait for one.',
      unit: 'short',
      lines: [
        [`sum by (state) (switchboard_database_connections{${NODES}})`, '{{state}}'],
        [`sum(switchboard_database_connections_awaited{${NODES}})`, 'waiting'],
      ],
    },
    {
      title: 'Memory',
      help: 'Resident memory of each node.',
      unit: 'bytes',
      lines: [[`process_resident_memory_bytes{${NODES}}`, '{{instance}}']],
    },
    {
      title: 'CPU',
      help: 'Cores used by each node.',
      unit: 'short',
      lines: [[rate('process_cpu_seconds_total'), '{{instance}}']],
    },
    {
      title: 'Event loop lag',
      help: 'Delay of timers in each node, p99, including the 50 ms between two samples.',
      unit: 's',
      lines: [[`nodejs_eventloop_lag_p99_seconds{${NODES}}`, '{{instance}}']],
    },
    {
      title: 'Spans',
      help: 'Exported trace spans. dropped, failed: the collector is slow or unreachable.',
      unit: 'ops',
      lines: [[`sum by (outcome) (${rate('switchboard_trace_spans_total')})`, '{{outcome}}']],
    },
    {
      title: 'Versions',
      help: 'Nodes by version and role.',
      unit: 'short',
      lines: [[`count by (version, role) (switchboard_build_info)`, '{{version}} {{role}}']],
    },
  ],
};

/** Panels per row, and their size in Grafana's grid units. */
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
