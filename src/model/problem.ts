/*
 * Everything that can be wrong with a request: the code a program looks at, the HTTP status, a title,
 * and what to do about it. docs/errors.md is made from this table.
 */
export const PROBLEMS = {
  invalid_json: {
    status: 400,
    title: 'The body is not JSON',
    help: 'Send UTF-8 encoded JSON. Keys may be given once only, `__proto__` is not allowed, and nesting ends at 32 levels.',
  },
  empty_body: {
    status: 400,
    title: 'The body is empty',
    help: 'Send a JSON object as the body of the request.',
  },
  hook_unreadable: {
    status: 400,
    title: 'The call of a hook cannot be read',
    help: 'It is not in the form that the vendor of the channel documents.',
  },
  bad_request: {
    status: 400,
    title: 'The request is malformed',
    help: 'Look at the detail; the request does not follow HTTP.',
  },
  token_missing: {
    status: 401,
    title: 'There is no token',
    help: 'Send the header `Authorization: Bearer <token>`. `switchboard token` prints a token.',
  },
  token_invalid: {
    status: 401,
    title: 'The token is not valid',
    help: 'Sign a JWT with HS256, the secret of a key that exists and is enabled, its id as `iss`, and an `exp`.',
  },
  token_expired: {
    status: 401,
    title: 'The token has expired',
    help: 'Get a new token, or sign one with a later `exp`.',
  },
  login_failed: {
    status: 401,
    title: 'The credentials are wrong',
    help: 'Check email and password. `switchboard user password EMAIL` sets a new password.',
  },
  session_missing: {
    status: 401,
    title: 'Nobody is signed in',
    help: 'Sign in to the console. A session ends when it is not used, when the password changes, and when the user is disabled.',
  },
  hook_refused: {
    status: 401,
    title: 'The call of a hook cannot be taken for genuine',
    help: 'Only the vendor of the channel calls a hook, and proves it. The integration must hold the credential that the proof is checked with.',
  },
  visitor_refused: {
    status: 401,
    title: 'The visitor of the chat cannot be told',
    help: 'An identity is a JWT signed with HS256 and the `secret` of the integration (32 bytes or more), with the user id as `sub`, and an `exp`. Without one, begin anew as a guest.',
  },
  wrong_token_kind: {
    status: 403,
    title: 'This call needs the other kind of token',
    help: 'Applications, keys, users and teams take a user token; integrations and messages take an application token.',
  },
  user_disabled: {
    status: 403,
    title: 'The user is disabled',
    help: "The team's owner can enable the user again, or `switchboard user enable EMAIL`.",
  },
  application_disabled: {
    status: 403,
    title: 'The application is disabled',
    help: 'Enable it: `PUT /1/applications/{id}` with `"state": "enable"`.',
  },
  foreign_origin: {
    status: 403,
    title: 'Another site asks',
    help: 'What the console asks for is taken from its own pages only: their `Origin` must be the address of the service. Behind a proxy, set `SWITCHBOARD_PUBLIC_URL`. Programs call `/1` with a token instead.',
  },
  https_needed: {
    status: 403,
    title: 'The console needs https here',
    help: 'Open the console by an https address, or on the machine itself by `http://localhost`. docs/security.md says how to put a proxy in front.',
  },
  not_team_owner: {
    status: 403,
    title: "Only the team's owner may do this",
    help: 'Ask the owner of the team; `GET /1/teams/{id}` names them.',
  },
  not_found: {
    status: 404,
    title: 'There is no such thing',
    help: 'Check the path and the id. What belongs to others is not found either.',
  },
  invitation_invalid: {
    status: 404,
    title: 'The invitation does not work any more',
    help: "Invitations are used once, end after some days, and can be revoked. Ask the team's owner for a new link.",
  },
  method_not_allowed: {
    status: 405,
    title: 'The path does not know this method',
    help: 'The `Allow` header lists the methods it knows.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    help: 'Send the whole request at once; `SWITCHBOARD_REQUEST_TIMEOUT` sets how long it may take.',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'Range not satisfiable',
    help: '`Content-Range` says how many bytes the file has.',
  },
  email_taken: {
    status: 409,
    title: 'The email address is taken',
    help: 'Each user has an address of their own; choose another.',
  },
  owns_team: {
    status: 409,
    title: 'Team owner cannot be removed or disabled',
    help: 'Hand the team over first: `PUT /1/teams/{id}` with the `owner_id` of another user.',
  },
  idempotency_in_flight: {
    status: 409,
    title: 'A request with this Idempotency-Key is still under way',
    help: 'Wait for its answer, or ask again a little later.',
  },
  message_settled: {
    status: 409,
    title: 'It is too late for that',
    help: 'A message can be canceled while it is queued or uncertain; `state` says where it is now.',
  },
  message_unsettled: {
    status: 409,
    title: 'The message need not be sent again',
    help: 'Only a message that is failed, canceled, expired or uncertain can be resent; send a new one instead.',
  },
  message_not_waiting: {
    status: 409,
    title: 'Message not waiting for a retry',
    help: 'Only a queued message whose `waiting.reason` is `retry` can be tried now. Resend one that is failed, canceled, expired or uncertain.',
  },
  too_many_jobs: {
    status: 409,
    title: 'Too many jobs are under way',
    help: 'Wait until one is done, or cancel one: `DELETE /1/jobs/{id}`; `GET /1/jobs` lists them.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    help: 'A body may have 256 KiB (a batch of messages 8 MiB); send links to media, not media.',
  },
  chat_full: {
    status: 413,
    title: 'There is no room for more files in the chat',
    help: 'Files go when they have been kept for as long as messages are; `SWITCHBOARD_CHAT_FILES_MB` says how much of them an integration may keep.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body is of a type that is not read',
    help: 'Use `application/json`; `integration/json`, `user/json`, `application/activity+json` and `application/ld+json` are read the same.',
  },
  invalid_fields: {
    status: 422,
    title: 'Some fields are wrong',
    help: '`errors` says which, with a JSON pointer and what is wrong with each.',
  },
  unknown_channel: {
    status: 422,
    title: 'There is no such channel',
    help: '`GET /1/channels` lists the channels.',
  },
  unsupported: {
    status: 422,
    title: 'The channel cannot do that',
    help: 'Send a new message instead; `GET /1/channels` says what each channel can do.',
  },
  unknown_object: {
    status: 422,
    title: 'No message that was sent has that object id',
    help: 'Update and Delete act on the last message to the same recipient, through the same integration, whose `object.id` was the same.',
  },
  unknown_media: {
    status: 422,
    title: 'Received file not found',
    help: 'The address is one that this service gives received files. Send the `url` of a message that the same application has received, as it was; at most 50 files a message.',
  },
  public_url_missing: {
    status: 422,
    title: 'Public URL not set',
    help: 'Set `SWITCHBOARD_PUBLIC_URL` to the address that the vendor reaches the service at. Channels that take uploads need none.',
  },
  button_value_too_long: {
    status: 422,
    title: 'Button value too long for the channel',
    help: 'Shorten the `value`, for example to an id of your own. The page of each channel says how long it may be.',
  },
  no_integration: {
    status: 422,
    title: 'No integration can carry the message',
    help: 'Name one in `generator`: the id of an enabled integration of the application, or the name of its channel.',
  },
  integration_disabled: {
    status: 422,
    title: 'The integration is disabled',
    help: 'Enable it: `PUT /1/integrations/{id}` with `"state": "enable"`.',
  },
  integration_incomplete: {
    status: 422,
    title: 'The integration lacks credentials',
    help: 'Supply what is missing: `PUT /1/integrations/{id}`. `GET /1/channels` says where to find each.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key belongs to another request',
    help: 'Use a new key for each new request; the same key is for repeating the same request.',
  },
  no_webhook: {
    status: 422,
    title: 'The application has no webhook',
    help: 'Set `webhook_url` with `PUT /1/applications/{id}`.',
  },
  no_hook: {
    status: 422,
    title: 'The vendor of the channel calls no hook',
    help: '`GET /1/channels` says which channels have one.',
  },
  registration_failed: {
    status: 422,
    title: 'The vendor did not take the address of the hook',
    help: 'The detail is what it said. The address must be one that the vendor can reach: set `SWITCHBOARD_PUBLIC_URL`.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    help: 'Wait as long as `Retry-After` says.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    help: 'All headers together may have 16 KiB.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong here',
    help: 'It is our fault. The log has the details under the `request_id`.',
  },
  store_unavailable: {
    status: 503,
    title: 'The store cannot take this now',
    help: 'Nothing is lost that was answered. Try again after `Retry-After`; with an `Idempotency-Key` that is safe.',
  },
  vendor_unavailable: {
    status: 503,
    title: 'The vendor of the channel cannot be reached',
    help: 'Try again after `Retry-After`.',
  },
  overloaded: {
    status: 503,
    title: 'There is more to do than can be done',
    help: 'Try again after `Retry-After`.',
  },
} as const satisfies Record<string, { status: number; title: string; help: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** What is wrong where: an RFC 6901 pointer into the body. */
export interface FieldError {
  pointer: string;
  detail: string;
}

/** A request that cannot be served as it is. It is an answer, not a fault of ours. */
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

/** The problem of one or several wrong fields. */
export function invalidFields(...errors: FieldError[]): Problem {
  const [first] = errors;
  const where = first?.pointer ? `${first.pointer} ` : '';
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new Problem('invalid_fields', `${where}${first?.detail ?? 'is wrong'}${more}`, { errors });
}
