/*
 * All metrics of the service: name, meaning, and how to aggregate them over nodes. The table in
 * docs/observing.md is generated from this one.
 */
export interface MetricDefinition {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: readonly string[];
  /** Whether the metric describes this node, or the whole store, where every node reports the same value. */
  of: 'node' | 'store';
}

export const METRICS = {
  build: {
    name: 'switchboard_build_info',
    type: 'gauge',
    help: 'Always 1. Labels: version, role and store.',
    labels: ['version', 'role', 'store'],
    of: 'node',
  },
  requests: {
    name: 'switchboard_http_request_duration_seconds',
    type: 'histogram',
    help: 'Request duration by method, route and status.',
    labels: ['method', 'route', 'status'],
    of: 'node',
  },
  sockets: {
    name: 'switchboard_sockets_open',
    type: 'gauge',
    help: 'Open WebSockets: event streams and web chat pages.',
    labels: ['kind'],
    of: 'node',
  },
  accepted: {
    name: 'switchboard_messages_accepted_total',
    type: 'counter',
    help: 'Messages accepted (stored durably).',
    labels: [],
    of: 'node',
  },
  attempts: {
    name: 'switchboard_delivery_attempts_total',
    type: 'counter',
    help: 'Delivery attempts by channel and outcome.',
    labels: ['channel', 'outcome'],
    of: 'node',
  },
  sandboxAccepted: {
    name: 'switchboard_sandbox_messages_accepted_total',
    type: 'counter',
    help: 'Messages accepted for the sandbox. No other metric about messages counts them.',
    labels: [],
    of: 'node',
  },
  sandboxAttempts: {
    name: 'switchboard_sandbox_attempts_total',
    type: 'counter',
    help: 'Delivery attempts in the sandbox, by channel and outcome.',
    labels: ['channel', 'outcome'],
    of: 'node',
  },
  settled: {
    name: 'switchboard_delivery_duration_seconds',
    type: 'histogram',
    help: 'Time from acceptance, or the scheduled time, to the final state, by channel and state.',
    labels: ['channel', 'state'],
    of: 'node',
  },
  inFlight: {
    name: 'switchboard_delivery_in_flight',
    type: 'gauge',
    help: 'Messages being sent, including those whose outcome is not stored yet.',
    labels: [],
    of: 'node',
  },
  hooks: {
    name: 'switchboard_hook_calls_total',
    type: 'counter',
    help: 'Webhook requests from vendors, by channel and whether they were accepted.',
    labels: ['channel', 'outcome'],
    of: 'node',
  },
  oldest: {
    name: 'switchboard_queue_oldest_due_seconds',
    type: 'gauge',
    help: 'Overdue time of the message that is due the longest, on this node.',
    labels: [],
    of: 'node',
  },
  queued: {
    name: 'switchboard_queue_depth',
    type: 'gauge',
    help: 'Queued messages by channel, counted within the last minute.',
    labels: ['channel'],
    of: 'store',
  },
  eventsBehind: {
    name: 'switchboard_webhook_events_behind',
    type: 'gauge',
    help: 'Events waiting to be sent to webhooks.',
    labels: [],
    of: 'store',
  },
  nodes: {
    name: 'switchboard_nodes',
    type: 'gauge',
    help: 'Nodes with a valid lease, by role.',
    labels: ['role'],
    of: 'store',
  },
  owned: {
    name: 'switchboard_integrations_owned',
    type: 'gauge',
    help: 'Integrations this node owns, including application webhooks.',
    labels: [],
    of: 'node',
  },
  unowned: {
    name: 'switchboard_integrations_unowned',
    type: 'gauge',
    help: 'Integrations that no node owns.',
    labels: [],
    of: 'store',
  },
  paused: {
    name: 'switchboard_integrations_paused',
    type: 'gauge',
    help: 'Paused integrations by channel and reason.',
    labels: ['channel', 'reason'],
    of: 'store',
  },
  failing: {
    name: 'switchboard_integrations_failing',
    type: 'gauge',
    help: 'Enabled integrations that are failing, by channel: two consecutive attempts or a check failed, and nothing was sent since. Paused ones are counted separately. The channel `events` stands for application webhooks.',
    labels: ['channel'],
    of: 'store',
  },
  notReceiving: {
    name: 'switchboard_integrations_not_receiving',
    type: 'gauge',
    help: 'Enabled integrations whose live session fails, by channel: two consecutive sessions failed, or the channel refused one, and none has lasted since.',
    labels: ['channel'],
    of: 'store',
  },
  storeUp: {
    name: 'switchboard_store_up',
    type: 'gauge',
    help: '1 while the store answers this node, 0 otherwise. Checked every two seconds.',
    labels: [],
    of: 'node',
  },
  storeAnswers: {
    name: 'switchboard_store_ping_duration_seconds',
    type: 'histogram',
    help: 'Duration of the store health check.',
    labels: [],
    of: 'node',
  },
  logBytes: {
    name: 'switchboard_store_log_bytes',
    type: 'gauge',
    help: "Size of the embedded store's write-ahead log. It is truncated at 32 MiB and when idle; a larger one means that another process holds a read transaction open. Absent with PostgreSQL.",
    labels: [],
    of: 'node',
  },
  connections: {
    name: 'switchboard_database_connections',
    type: 'gauge',
    help: 'PostgreSQL connections of this node, `used` or `idle`. Absent with the embedded store.',
    labels: ['state'],
    of: 'node',
  },
  connectionsAwaited: {
    name: 'switchboard_database_connections_awaited',
    type: 'gauge',
    help: 'Statements waiting for a free PostgreSQL connection. Absent with the embedded store.',
    labels: [],
    of: 'node',
  },
  spans: {
    name: 'switchboard_trace_spans_total',
    type: 'counter',
    help: 'Trace spans: `exported`, `dropped` because the queue was full, or `failed` because the collector refused them.',
    labels: ['outcome'],
    of: 'node',
  },
} as const satisfies Record<string, MetricDefinition>;
