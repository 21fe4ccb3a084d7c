import { PEOPLE_PROBLEMS } from './people/problems.ts';

/* The error catalog: code, HTTP status, title and help. docs/errors.md is generated from it. */
export const PROBLEMS = {
  invalid_json: {
    status: 400,
    title: 'Invalid JSON',
    help: 'Send UTF-8 encoded JSON without duplicate keys, without the key `__proto__`, and with at most 32 levels of nesting.',
  },
  empty_body: {
    status: 400,
    title: 'Empty body',
    help: 'Send a JSON object as the request body.',
  },
  hook_unreadable: {
    status: 400,
    title: 'Malformed webhook request',
    help: 'The request does not have the format that the channel vendor documents.',
  },
  bad_request: {
    status: 400,
    title: 'Malformed request',
    help: 'The request does not follow HTTP; see `detail`.',
  },
  token_missing: {
    status: 401,
    title: 'Token missing',
    help: 'Send the header `Authorization: Bearer <token>`. `switchboard token` prints a token.',
  },
  token_invalid: {
    status: 401,
    title: 'Token invalid',
    help: 'Sign a JWT with HS256 and the secret of an enabled key, with the key id as `iss`, and an `exp`.',
  },
  token_expired: {
    status: 401,
    title: 'Token expired',
    help: 'Get a new token, or sign one with a later `exp`.',
  },
  login_failed: {
    status: 401,
    title: 'Wrong email or password',
    help: 'Check email and password. `switchboard user password EMAIL` sets a new password.',
  },
  session_missing: {
    status: 401,
    title: 'Not signed in',
    help: 'Sign in to the console. A session ends when it is idle too long, when the password changes, and when the user is disabled.',
  },
  hook_refused: {
    status: 401,
    title: 'Webhook signature invalid',
    help: 'Only the channel vendor may call this URL. Check that the integration has the credential that signs webhook requests.',
  },
  visitor_refused: {
    status: 401,
    title: 'Invalid visitor identity',
    help: 'Send a JWT signed with HS256 and the `secret` of the integration (32 bytes or more), with the user id as `sub`, and an `exp`; or start a new guest session without one.',
  },
  wrong_token_kind: {
    status: 403,
    title: 'Wrong kind of token',
    help: 'Applications, keys, users and teams take a user token; integrations and messages take an application token.',
  },
  user_disabled: {
    status: 403,
    title: 'User disabled',
    help: "The team's owner can enable the user; so can the operator, with `switchboard user enable EMAIL`.",
  },
  application_disabled: {
    status: 403,
    title: 'Application disabled',
    help: 'Enable it: `PUT /1/applications/{id}` with `"state": "enable"`.',
  },
  foreign_origin: {
    status: 403,
    title: 'Cross-origin request refused',
    help: 'Console requests must come from its own pages: their `Origin` must be the address of the service. Behind a proxy, set `SWITCHBOARD_PUBLIC_URL`. Programs call `/1` with a token instead.',
  },
  https_needed: {
    status: 403,
    title: 'HTTPS required',
    help: 'Open the console through an https address, or on the machine itself as `http://localhost`. docs/security.md describes how to set up a proxy.',
  },
  not_team_owner: {
    status: 403,
    title: 'Team owner only',
    help: 'Ask the owner of the team; `GET /1/teams/{id}` names them.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    help: 'Check the path and the id. Objects of other teams are not found either.',
  },
  invitation_invalid: {
    status: 404,
    title: 'Invitation invalid',
    help: "An invitation works once, expires after some days and can be revoked. Ask the team's owner for a new link.",
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    help: 'Use one of the methods in the `Allow` header.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    help: 'Send the request faster; `SWITCHBOARD_REQUEST_TIMEOUT` sets the limit.',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'Range not satisfiable',
    help: '`Content-Range` says how many bytes the file has.',
  },
  name_taken: {
    status: 409,
    title: 'Name already in use',
    help: 'Choose another name.',
  },
  email_taken: {
    status: 409,
    title: 'Email address already in use',
    help: 'Choose another address; each user needs their own.',
  },
  owns_team: {
    status: 409,
    title: 'Team owner cannot be removed or disabled',
    help: 'Transfer the team first: `PUT /1/teams/{id}` with the `owner_id` of another user.',
  },
  idempotency_in_flight: {
    status: 409,
    title: 'Request with this Idempotency-Key in progress',
    help: 'Wait for its response, or retry later.',
  },
  mode_fixed: {
    status: 409,
    title: 'Mode cannot be changed',
    help: 'A sandbox integration can go live once, while none of its messages waits. Create another integration to use the sandbox again.',
  },
  not_sandbox: {
    status: 409,
    title: 'Integration not in the sandbox',
    help: 'Create an integration with `"mode": "sandbox"`.',
  },
  message_settled: {
    status: 409,
    title: 'Message cannot be canceled',
    help: 'Only a scheduled, queued or uncertain message can be canceled; `state` tells its current state.',
  },
  message_not_scheduled: {
    status: 409,
    title: 'Message not scheduled',
    help: 'Only a scheduled message can be changed. Cancel a queued one and send another; change a sent one with an Update.',
  },
  message_unsettled: {
    status: 409,
    title: 'Message cannot be resent',
    help: 'Only a failed, uncertain, canceled, expired or suppressed message can be resent. Send a new one instead.',
  },
  message_not_waiting: {
    status: 409,
    title: 'Message not waiting for a retry',
    help: 'Only a queued message whose `waiting.reason` is `retry` can be retried now. Resend one that is failed, uncertain, canceled, expired or suppressed.',
  },
  too_many_jobs: {
    status: 409,
    title: 'Too many jobs',
    help: 'Wait until one has finished, or cancel one with `DELETE /1/jobs/{id}`; `GET /1/jobs` lists them.',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    help: 'Most calls take at most 256 KiB, a batch of messages 8 MiB, and an import of contacts 256 MiB. Send links to media, not the media.',
  },
  chat_full: {
    status: 413,
    title: 'Chat storage full',
    help: 'A conversation has at most 100 files, and an integration `SWITCHBOARD_CHAT_FILES_MB`. Files have the same retention as messages.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    help: 'Use `application/json`; `integration/json`, `user/json`, `application/activity+json` and `application/ld+json` are treated the same. Imports take `text/csv` or `application/x-ndjson`.',
  },
  invalid_fields: {
    status: 422,
    title: 'Invalid fields',
    help: '`errors` lists each field as a JSON pointer with its problem.',
  },
  unknown_channel: {
    status: 422,
    title: 'Unknown channel',
    help: 'Choose one from `GET /1/channels`.',
  },
  unsupported: {
    status: 422,
    title: 'Not supported by the channel',
    help: 'Send a new message instead; `GET /1/channels` lists what each channel supports.',
  },
  vendor_blocked: {
    status: 409,
    title: 'Blocked by the vendor',
    help: 'The vendor refuses messages to this address, for example after STOP. Only the person or the vendor can lift the block. Delete a bounce with `DELETE /1/consents/{id}` when the mailbox exists again.',
  },
  quiet_hours: {
    status: 422,
    title: 'Quiet hours',
    help: 'The policies of the application refuse such messages at this time. Set `send_at` to a later time, or change the policies.',
  },
  recipient_suppressed: {
    status: 422,
    title: 'Recipient does not accept such messages',
    help: '`GET /1/consents` shows the consent that the person or the vendor revoked, with the proof. Ask the person to opt in again.',
  },
  integration_in_use: {
    status: 409,
    title: 'Integration in another pool',
    help: 'An integration is in one pool at most. Remove it from the other pool first.',
  },
  condition_unsupported: {
    status: 422,
    title: 'Condition not supported by the channel',
    help: 'The channel does not report this state. `GET /1/channels` lists the receipts of each channel; use `sent`, or a condition that it reports.',
  },
  window_closed: {
    status: 422,
    title: 'Message window closed',
    help: 'The vendor accepts free text only for some time after a message from the person. Send a template, or name one in `outside_window`.',
  },
  template_refused: {
    status: 422,
    title: 'Template refused',
    help: '`GET /1/integrations/{id}/templates` lists the templates of the vendor with their parameters, `GET /1/templates` your own.',
  },
  unknown_object: {
    status: 422,
    title: 'Unknown object id',
    help: 'Update and Delete apply to the last sent message with the same `object.id`, recipient and integration.',
  },
  unknown_media: {
    status: 422,
    title: 'Received file not found',
    help: 'Use the unchanged `url` of a file that the same application received or uploaded. A message has at most 50 of them.',
  },
  public_url_missing: {
    status: 422,
    title: 'Public URL not set',
    help: 'Set `SWITCHBOARD_PUBLIC_URL` to the URL at which vendors reach the service. Channels that take uploads do not need it.',
  },
  button_value_too_long: {
    status: 422,
    title: 'Button value too long for the channel',
    help: 'Shorten the `value`, for example to an id of your own. The page of each channel says how long it may be.',
  },
  no_integration: {
    status: 422,
    title: 'No matching integration',
    help: 'Name one in `generator`: the id of an enabled integration of the application, or the name of its channel.',
  },
  integration_disabled: {
    status: 422,
    title: 'Integration disabled',
    help: 'Enable it: `PUT /1/integrations/{id}` with `"state": "enable"`.',
  },
  check_failed: {
    status: 422,
    title: 'Credentials not accepted',
    help: "See the vendor's reply in `detail`. The integration stays in the sandbox.",
  },
  sandbox_off: {
    status: 422,
    title: 'Sandbox switched off',
    help: 'The operator has set `SWITCHBOARD_SANDBOX=off`. Use a live integration.',
  },
  no_simulator: {
    status: 422,
    title: 'Channel has no simulator',
    help: 'Choose a channel that `GET /1/channels` lists with `"sandbox": true`.',
  },
  integration_incomplete: {
    status: 422,
    title: 'Integration lacks credentials',
    help: 'Add the missing ones with `PUT /1/integrations/{id}`. `GET /1/channels` tells where to find each.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency-Key reused',
    help: 'Use a new key for each new request; a key may only be reused to repeat the same request.',
  },
  no_webhook: {
    status: 422,
    title: 'Application has no webhook',
    help: 'Set `webhook_url` with `PUT /1/applications/{id}`.',
  },
  no_hook: {
    status: 422,
    title: 'Channel has no webhook',
    help: 'The channel receives over a live session, or only sends. `GET /1/channels` lists the channels with webhooks.',
  },
  registration_failed: {
    status: 422,
    title: 'Webhook registration failed',
    help: "See the vendor's reply in `detail`. The vendor must be able to reach the service: set `SWITCHBOARD_PUBLIC_URL`.",
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    help: 'Retry after the seconds in `Retry-After`.',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    help: 'Send at most 16 KiB of headers.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    help: 'This is a bug or an outage of the service. The log has the details under the `request_id`.',
  },
  store_unavailable: {
    status: 503,
    title: 'Store unavailable',
    help: 'Accepted messages are safe. Retry after `Retry-After`; with an `Idempotency-Key` a retry creates no duplicate.',
  },
  vendor_refused: {
    status: 422,
    title: 'Refused by the vendor',
    help: 'Fix the cause in `detail`, for example the credentials of the integration, and try again.',
  },
  vendor_unavailable: {
    status: 503,
    title: 'Channel vendor unreachable',
    help: 'Retry after `Retry-After`.',
  },
  overloaded: {
    status: 503,
    title: 'Overloaded',
    help: 'Retry after `Retry-After`.',
  },
  ...PEOPLE_PROBLEMS,
} as const satisfies Record<string, { status: number; title: string; help: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** A problem with one field; `pointer` is an RFC 6901 pointer into the body. */
export interface FieldError {
  pointer: string;
  detail: string;
}

/** An error response caused by the request, not by a fault of the service. */
export class Problem extends Error {
  override name = 'Problem';
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    detail: string,
    extra: { errors?: readonly FieldError[]; headers?: Record<string, string> } = {},
  ) {
    super(detail);
    this.code = code;
    this.errors = extra.errors;
    this.headers = extra.headers ?? {};
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }
}

export function invalidFields(...errors: FieldError[]): Problem {
  const [first] = errors;
  const where = first?.pointer ? `${first.pointer} ` : '';
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new Problem('invalid_fields', `${where}${first?.detail ?? 'is invalid'}${more}`, {
    errors,
  });
}

/** A name as a token of a JSON pointer. https://www.rfc-editor.org/rfc/rfc6901#section-3 */
export const pointerToken = (name: string): string =>
  name.replaceAll('~', '~0').replaceAll('/', '~1');
