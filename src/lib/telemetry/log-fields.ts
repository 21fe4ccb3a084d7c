/*
 * Every field of the log, named as in the API where both have it. The table in docs/observing.md is generated from
 * this.
 */
export const LOG_FIELDS = {
  level: '`trace`, `debug`, `info`, `warn`, `error` or `fatal`.',
  time: 'UTC time, such as `2026-11-15T09:30:00.000Z`.',
  msg: 'The event, in constant words.',
  err: 'An error: `type`, `message`, `stack` and `code`, if it has one.',
  request_id: 'Id of the request.',
  trace_id: 'Id of the trace, if tracing is on.',
  span_id: 'Id of the span in that trace.',
  method: 'HTTP method of the request.',
  path: 'Path of the request, without the query.',
  status: 'HTTP status of the response.',
  ms: 'Duration in milliseconds; for a request, until the response was written.',
  ip: 'Address of the client; behind a trusted proxy, the address that the proxy reports.',
  code: 'Why the data received was not a valid HTTP request.',
  application_id: 'Id of the application.',
  integration_id: 'Id of the integration.',
  job_id: 'Id of the job.',
  message_id: 'Id of the message.',
  channel: 'Channel of the integration.',
  state: 'State of the message.',
  reason: 'Why the integration is paused.',
  detail: 'Explanation of the reason, in the words of the channel.',
  after: 'The last event that a consumer of the feed has read.',
  setting: 'Name of the setting.',
  url: 'Address that the service listens on.',
  file: 'File that contains the first sign-in link.',
  signal: 'Signal that stopped the service.',
} as const;
