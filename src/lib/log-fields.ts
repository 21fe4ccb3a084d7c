/*
 * Every field that a line of the log may have. What the API shows too is called as it is there. The table in
 * docs/observing.md is made from this one.
 */
export const LOG_FIELDS = {
  level: '`trace`, `debug`, `info`, `warn`, `error` or `fatal`.',
  time: 'When, in UTC, as `2026-11-15T09:30:00.000Z`.',
  msg: 'What happened, in words that are the same each time.',
  err: 'An error: `type`, `message`, `stack` and, where it has one, `code`.',
  request_id: 'Of the request that it is about.',
  trace_id: 'The trace that it belongs to, where that is traced.',
  span_id: 'The span of that trace.',
  method: 'Of a request.',
  path: 'Of a request, without its query.',
  status: 'Of the answer to a request.',
  ms: 'How long something took, in milliseconds; of a request, until its answer was written.',
  ip: 'Who asked; behind a proxy that is trusted, whom that speaks for.',
  code: 'Why something was no request.',
  application_id: 'The application that it is about.',
  integration_id: 'The integration that it is about.',
  message_id: 'The message that it is about.',
  channel: 'The channel of that integration.',
  state: 'The state of that message.',
  reason: 'Why an integration is paused.',
  detail: 'The same in the words of whoever refused something.',
  after: 'The event up to which a consumer of the feed has come.',
  setting: 'The setting that it is about.',
  url: 'Where the service listens.',
  file: 'The file that holds the first sign-in link.',
  signal: 'What asked the service to stop.',
} as const;
