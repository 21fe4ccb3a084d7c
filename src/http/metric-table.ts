/*
 * Every metric of ours, once: what it is called, what it counts, and how its series of several nodes are to be
 * read. The table in docs/observing.md is made from this one.
 */
export interface MetricDefinition {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: readonly string[];
  /** Whether it is about this node alone, or about the whole store, of which every node says the same. */
  of: 'node' | 'store';
}

export const METRICS = {
  build: {
    name: 'switchboard_build_info',
    type: 'gauge',
    help: 'Always 1: which version runs, in which role, on which store.',
    labels: ['version', 'role', 'store'],
    of: 'node',
  },
  requests: {
    name: 'switchboard_http_request_duration_seconds',
    type: 'histogram',
    help: 'How long requests took, by method, route and status.',
    labels: ['method', 'route', 'status'],
    of: 'node',
  },
  sockets: {
    name: 'switchboard_sockets_open',
    type: 'gauge',
    help: 'How many WebSockets are open: feeds that are streamed, and pages of the web chat.',
    labels: ['kind'],
    of: 'node',
  },
  accepted: {
    name: 'switchboard_messages_accepted_total',
    type: 'counter',
    help: 'How many messages were accepted, that is, stored durably.',
    labels: [],
    of: 'node',
  },
  attempts: {
    name: 'switchboard_delivery_attempts_total',
    type: 'counter',
    help: 'How many tries to send there were, by channel and outcome.',
    labels: ['channel', 'outcome'],
    of: 'node',
  },
  settled: {
    name: 'switchboard_delivery_duration_seconds',
    type: 'histogram',
    help: 'How long after it was accepted a message was sent or came to nothing, by channel and state.',
    labels: ['channel', 'state'],
    of: 'node',
  },
  underWay: {
    name: 'switchboard_delivery_in_flight',
    type: 'gauge',
    help: 'How many messages are being sent, or were and that is not on record yet.',
    labels: [],
    of: 'node',
  },
  hooks: {
    name: 'switchboard_hook_calls_total',
    type: 'counter',
    help: 'How many calls of vendors there were, by channel and whether they were taken.',
    labels: ['channel', 'outcome'],
    of: 'node',
  },
  oldest: {
    name: 'switchboard_queue_oldest_due_seconds',
    type: 'gauge',
    help: 'How long the message has been due that has been due the longest and may be sent, of those that this node sends.',
    labels: [],
    of: 'node',
  },
  queued: {
    name: 'switchboard_queue_depth',
    type: 'gauge',
    help: 'How many messages are queued, by channel, as they were counted within the last minute.',
    labels: ['channel'],
    of: 'store',
  },
  eventsBehind: {
    name: 'switchboard_webhook_events_behind',
    type: 'gauge',
    help: 'How many events wait in feeds to be sent to the webhook of their application.',
    labels: [],
    of: 'store',
  },
  nodes: {
    name: 'switchboard_nodes',
    type: 'gauge',
    help: 'How many nodes have a lease, by role.',
    labels: ['role'],
    of: 'store',
  },
  owned: {
    name: 'switchboard_integrations_owned',
    type: 'gauge',
    help: 'How many integrations this node sends for; webhooks of applications count as such.',
    labels: [],
    of: 'node',
  },
  unowned: {
    name: 'switchboard_integrations_unowned',
    type: 'gauge',
    help: 'How many integrations no node sends for.',
    labels: [],
    of: 'store',
  },
  paused: {
    name: 'switchboard_integrations_paused',
    type: 'gauge',
    help: 'How many integrations send nothing for now, by channel and reason.',
    labels: ['channel', 'reason'],
    of: 'store',
  },
  failing: {
    name: 'switchboard_integrations_failing',
    type: 'gauge',
    help: 'Enabled integrations that are failing, by channel: two consecutive attempts or a check failed, and nothing was sent since. Paused ones are counted there. The channel `events` is the webhooks of applications.',
    labels: ['channel'],
    of: 'store',
  },
  storeUp: {
    name: 'switchboard_store_up',
    type: 'gauge',
    help: '1 while the store answers this node, 0 while it does not. It is asked every two seconds.',
    labels: [],
    of: 'node',
  },
  storeAnswers: {
    name: 'switchboard_store_ping_duration_seconds',
    type: 'histogram',
    help: 'How long the store took to answer when it was asked whether it is there.',
    labels: [],
    of: 'node',
  },
  logBytes: {
    name: 'switchboard_store_log_bytes',
    type: 'gauge',
    help: 'Size of the write-ahead log of the embedded store. It is emptied when the service is idle and at 32 MiB; a larger one means that another process reads the file without end. Absent with PostgreSQL.',
    labels: [],
    of: 'node',
  },
  connections: {
    name: 'switchboard_database_connections',
    type: 'gauge',
    help: 'How many connections this node has to PostgreSQL, by whether they are `used` or `idle`. Not there with the embedded store.',
    labels: ['state'],
    of: 'node',
  },
  connectionsAwaited: {
    name: 'switchboard_database_connections_awaited',
    type: 'gauge',
    help: 'How many statements wait for a connection to PostgreSQL, all of them being used. Not there with the embedded store.',
    labels: [],
    of: 'node',
  },
  spans: {
    name: 'switchboard_trace_spans_total',
    type: 'counter',
    help: 'How many spans there were of what is traced: `exported`, `dropped` since too many waited, or `failed` since the collector did not take them.',
    labels: ['outcome'],
    of: 'node',
  },
} as const satisfies Record<string, MetricDefinition>;
