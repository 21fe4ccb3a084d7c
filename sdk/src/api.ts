/* Made by `npm run docs` out of the schemas of the service; change those instead. */

/** Everything that the service says can be wrong with a request. */
export const PROBLEM_CODES = [
  'invalid_json',
  'empty_body',
  'hook_unreadable',
  'bad_request',
  'token_missing',
  'token_invalid',
  'token_expired',
  'login_failed',
  'session_missing',
  'hook_refused',
  'visitor_refused',
  'wrong_token_kind',
  'user_disabled',
  'application_disabled',
  'foreign_origin',
  'https_needed',
  'not_team_owner',
  'not_found',
  'invitation_invalid',
  'method_not_allowed',
  'request_timeout',
  'email_taken',
  'owns_team',
  'idempotency_in_flight',
  'message_settled',
  'message_unsettled',
  'message_not_waiting',
  'too_many_jobs',
  'body_too_large',
  'chat_full',
  'unsupported_media_type',
  'invalid_fields',
  'unknown_channel',
  'unsupported',
  'unknown_object',
  'no_integration',
  'integration_disabled',
  'integration_incomplete',
  'idempotency_key_reused',
  'no_webhook',
  'no_hook',
  'registration_failed',
  'rate_limited',
  'headers_too_large',
  'internal',
  'store_unavailable',
  'vendor_unavailable',
  'overloaded',
] as const;

/** What is wrong with a request, for programs: it does not change. */
export type ProblemCode = (typeof PROBLEM_CODES)[number];

export interface AcceptedMessage {
  id: number;
  state: 'queued';
  /** UTC. Example: `2026-11-15T09:30:00` */
  created_at: string;
  integration_id: number;
  application_id: number;
}

export interface Activity {
  /**
   * The Activity Streams 2.0 context identifier, alone or in an array. Example:
   * `https://www.w3.org/ns/activitystreams`
   */
  '@context': unknown;
  /** Update and Delete act on an earlier message, found by the id of its object. */
  type: 'Create' | 'Update' | 'Delete';
  generator: {
    type: 'Service' | 'Application';
    id?: string | number;
    name?: string;
  };
  to: {
    type: 'Person' | 'Group' | 'Application';
    id: string | number;
    name?: string;
  };
  object: ActivityObject;
  actor?: {
    type: 'Person' | 'Application' | 'Group' | 'Organization' | 'Service';
    id?: string | number;
    name?: string;
  };
  /** Unix time in seconds. */
  published?: number;
  /**
   * Expiry, ISO 8601: the message is not sent after this time. UTC unless a zone is given.
   * Example: `2026-11-15T18:00:00Z`
   */
  endTime?: string;
}

export interface ActivityObject {
  type: 'Note' | 'Image' | 'Video' | 'Audio' | 'Document' | 'Place' | 'Collection' | 'Tombstone';
  /**
   * The text, or the caption of media. Plain text, unless the mediaType of a Note is text/markdown
   * or text/html.
   */
  content?: string;
  /** Example: `https://example.com/hooks/switchboard` */
  url?: string;
  /** Example: `image/png` */
  mediaType?: string;
  name?: string;
  latitude?: number;
  longitude?: number;
  attachment?: Attachment[];
  id?: string | number;
  summary?: string;
  /** Items of a Collection. */
  items?: Item[];
  /** An id, or an object with an id. Example: `greeting-1` */
  inReplyTo?: unknown;
  context?: Thread;
}

export interface Application {
  id: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  created_at: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  updated_at: string;
  team_id: number;
  owner_id: number;
  /** Example: `quiet-harbor-4711` */
  name: string;
  /** Whether the resource is enabled. */
  state: 'enable' | 'disable';
  webhook_url: string | null;
}

export interface ApplicationChange {
  name?: string | null;
  /** Whether the resource is enabled. */
  state?: 'enable' | 'disable';
  webhook_url?: string | null;
}

export interface Attachment {
  type: 'Image' | 'Video' | 'Audio' | 'Document' | 'Place' | 'Link' | 'Button';
  /**
   * The text, or the caption of media. Plain text, unless the mediaType of a Note is text/markdown
   * or text/html.
   */
  content?: string;
  /** Example: `https://example.com/hooks/switchboard` */
  url?: string;
  /** Example: `image/png` */
  mediaType?: string;
  name?: string;
  latitude?: number;
  longitude?: number;
}

export interface Attempt {
  number: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  started_at: string;
  duration_ms: number;
  /** Number of the message part. */
  part: number;
  outcome: 'sent' | 'limited' | 'transient' | 'uncertain' | 'permanent';
  /** Status of the channel's answer. Example: `200` */
  status: string | null;
  /** The channel's error code. */
  code: string | null;
  /** The channel's error message. */
  detail: string | null;
  /** The request, without secrets. */
  request: string | null;
  /** The response, without secrets. */
  answer: string | null;
}

export interface AuditEntry {
  id: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  created_at: string;
  actor: {
    /** `operator` is the command line on the machine of the service. */
    type: 'user' | 'application' | 'operator';
    id: number | null;
    /** The name at that time. */
    name: string | null;
  };
  action: 'application.created' | 'application.updated' | 'application.deleted' | 'integration.created' | 'integration.updated' | 'integration.deleted' | 'webhook.rotated' | 'webhook.resumed' | 'webhook.recovered' | 'webhook.resent' | 'key.created' | 'key.revoked' | 'token.created' | 'message.canceled' | 'message.resent' | 'message.retried' | 'team.updated' | 'user.created' | 'user.updated' | 'user.deleted' | 'invitation.created' | 'invitation.revoked' | 'invitation.accepted' | 'session.link_created' | 'session.started' | 'session.ended' | 'session.ended_everywhere';
  subject: {
    type: 'application' | 'integration' | 'key' | 'message' | 'job' | 'team' | 'user' | 'invitation';
    id: number;
    /** The name at that time. */
    name: string | null;
  };
  application_id: number | null;
  /** The changed fields; for secrets, only the name. */
  changes: Array<{
    field: string;
    from?: string | null;
    to?: string | null;
  }>;
}

export interface Channel {
  /** Example: `telegram` */
  name: string;
  title: string;
  aliases: string[];
  docs: string;
  credentials: Array<{
    name: 'token' | 'secret' | 'refresh' | 'username' | 'address' | 'consumer_key' | 'consumer_secret';
    label: string;
    help: string;
    secret: boolean;
    /** Whether sending needs it. */
    required: boolean;
  }>;
  /** Sets of credentials; one complete set is enough to send. */
  needs: Array<string[]>;
  /** Credentials that verify the vendor's webhooks, and where to enter the URL. */
  hook: {
    needs: Array<string[]>;
    setup: string;
  } | null;
  recipient: {
    form: string;
    example: string;
  };
  limits: Array<{
    what: string;
    link: string;
  }>;
  /** Content the channel carries natively; other content degrades. */
  can: {
    send: boolean;
    /** Maximum length of one text part. */
    text: number | null;
    formatting: boolean;
    image: boolean;
    video: boolean;
    audio: boolean;
    document: boolean;
    place: boolean;
    buttons: {
      most: number;
      /** Maximum length of a button label. */
      label: number;
      kinds: Array<'link' | 'reply'>;
    } | null;
    /** Where the channel shows the title of a message. */
    title: string | null;
    reply: boolean;
    thread: boolean;
    edit: boolean;
    remove: boolean;
    /** Whether credentials can be checked. */
    check: boolean;
    /** Whether the channel detects duplicates of a retried message. */
    repeats: boolean;
    /** How incoming messages arrive; empty if the channel only sends. */
    receive: Array<'hook' | 'session' | 'page'>;
    /** Whether the service can register its webhook URL with the vendor. */
    register: boolean;
    /** Delivery reports of the channel. */
    receipts: string[];
  };
}

export interface Check {
  /**
   * `ok`: the channel accepts the credentials. `refused`: it rejects them. `unreachable`: no
   * usable answer; try again. `incomplete`: credentials are missing. `unknown`: complete, but the
   * channel offers no check.
   */
  status: 'ok' | 'refused' | 'unreachable' | 'incomplete' | 'unknown';
  /** Credential fields still missing. */
  missing: string[];
  detail: string;
}

export interface Counts {
  accepted: number;
  sent: number;
  delivered: number;
  read: number;
  failed: number;
  uncertain: number;
  canceled: number;
  expired: number;
  received: number;
  /** Time from acceptance to sent: p50, p90 and p99; null when no message was sent. */
  latency_ms: {
    p50: number | null;
    p90: number | null;
    p99: number | null;
  };
}

export interface CredentialTrial {
  /** An int64, as a number or a decimal string. */
  integration_id?: number | string;
  token?: string | null;
  secret?: string | null;
  refresh?: string | null;
  username?: string | null;
  address?: string | null;
  consumer_key?: string | null;
  consumer_secret?: string | null;
}

export interface CredentialTrialResult {
  /**
   * `ok`: the channel accepts the credentials. `refused`: it rejects them. `unreachable`: no
   * usable answer; try again. `incomplete`: credentials are missing. `unknown`: complete, but the
   * channel offers no check.
   */
  status: 'ok' | 'refused' | 'unreachable' | 'incomplete' | 'unknown';
  /** Credential fields still missing. */
  missing: string[];
  detail: string;
  /**
   * Credentials that the channel replaced during the check, such as a single-use refresh token:
   * save these instead of the ones you sent.
   */
  renewed: {
    token?: string;
    secret?: string;
    refresh?: string;
    username?: string;
    address?: string;
    consumer_key?: string;
    consumer_secret?: string;
  };
}

export interface CurrentProblem {
  kind: 'integration_refused' | 'webhook_paused' | 'integration_failing' | 'webhook_failing' | 'messages_uncertain' | 'integration_unproven' | 'messages_failed' | 'integration_limited';
  /** An error blocks messages or events, or needs a person; a warning may clear by itself. */
  severity: 'error' | 'warning';
  what: string;
  /** The error message of the channel or endpoint. */
  detail: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  since: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  until: string | null;
  /** What to do. */
  help: string;
  application_id: number;
  integration_id: number | null;
  channel: string | null;
  /** Number of affected messages. */
  count: number | null;
}

export interface Delivery {
  /**
   * Policy when the channel's answer was lost and the channel cannot detect duplicates: `resend`
   * sends the message again (at least once), `hold` marks it `uncertain` for a person to decide
   * (at most once).
   */
  uncertain: 'resend' | 'hold';
}

export interface Health {
  /**
   * Same as `health.state` of the integration, except that `ok` stands for `working`, and `paused`
   * also for `limited`; see `paused.reason`.
   */
  state: 'ok' | 'unknown' | 'disabled' | 'incomplete' | 'paused' | 'failing';
  /**
   * Time of the last sent message, UTC. Written once a second; a killed process may lose its last
   * second. Example: `2026-11-15T09:30:00`
   */
  last_success_at: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  failing_since: string | null;
  /** Message of the last failed attempt or check, without secrets. It stays after a recovery. */
  last_error: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  last_error_at: string | null;
  paused: {
    reason: string;
    /** The channel's error message. */
    detail: string | null;
    /** UTC. Example: `2026-11-15T09:30:00` */
    until: string | null;
    /** What to do. */
    help: string;
  } | null;
  /** Missing credentials. */
  missing: string[];
  /** Queued messages; at most 10000 are counted. */
  waiting: number;
  /** Node that owns the integration. */
  owner_node: string | null;
}

export interface Hook {
  /** URL for the vendor's webhooks; null if the channel has none. */
  url: string | null;
  /** Whether the service registered it with the vendor. */
  registered: boolean;
  /** UTC. Example: `2026-11-15T09:30:00` */
  registered_at: string | null;
  /** Where to enter the URL at the vendor, if it cannot be registered automatically. */
  setup: string | null;
}

export interface Integration {
  id: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  created_at: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  updated_at: string;
  application_id: number;
  /** A channel name, case-insensitive. Example: `telegram` */
  name: string;
  /** Whether the resource is enabled. */
  state: 'enable' | 'disable';
  token?: string;
  secret?: string;
  refresh?: string;
  username?: string;
  address?: string;
  consumer_key?: string;
  consumer_secret?: string;
}

export interface IntegrationChange {
  /** A channel name, case-insensitive. Example: `telegram` */
  name: string;
  /** Whether the resource is enabled. */
  state?: 'enable' | 'disable';
  token?: string | null;
  secret?: string | null;
  refresh?: string | null;
  username?: string | null;
  address?: string | null;
  consumer_key?: string | null;
  consumer_secret?: string | null;
}

export interface IntegrationDetail {
  id: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  created_at: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  updated_at: string;
  application_id: number;
  /** A channel name, case-insensitive. Example: `telegram` */
  name: string;
  /** Whether the resource is enabled. */
  state: 'enable' | 'disable';
  token?: string;
  secret?: string;
  refresh?: string;
  username?: string;
  address?: string;
  consumer_key?: string;
  consumer_secret?: string;
  health: IntegrationHealth;
}

export interface IntegrationHealth {
  /**
   * `unknown`: no attempt or check has succeeded yet. `working`: no failing period since the last
   * success. `failing`: two consecutive attempts failed, or a check did; one success or passed
   * check ends it. Recipient faults, content faults and rate limits do not count. `paused`: the
   * channel refused the credentials; nothing is sent until they change or a check passes.
   * `limited`: the channel asked to wait. `incomplete`: credentials are missing. `disabled`: the
   * integration or its application is disabled.
   */
  state: 'unknown' | 'working' | 'failing' | 'paused' | 'limited' | 'incomplete' | 'disabled';
  /**
   * Start of the failing period, UTC: its first failed attempt or check. Example:
   * `2026-11-15T09:30:00`
   */
  since: string | null;
  /** Message of the last failed attempt or check, without secrets. It stays after a recovery. */
  last_error: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  last_error_at: string | null;
  /**
   * Time of the last sent message, UTC. Written once a second; a killed process may lose its last
   * second. Example: `2026-11-15T09:30:00`
   */
  last_success_at: string | null;
  /** Queued messages; at most 10000 are counted. */
  waiting: number;
}

export interface IntegrationReport {
  application_id: number;
  integration_id: number;
  /** Example: `telegram` */
  channel: string;
  /** Cause: `credentials` were refused, or the channel is unreachable or failing (`transient`). */
  reason?: 'credentials' | 'transient';
  /** The channel's last error message. */
  detail?: string | null;
  /**
   * Start of the failing period, UTC: its first failed attempt or check. Example:
   * `2026-11-15T09:30:00`
   */
  since?: string;
}

export interface Invitation {
  id: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  created_at: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  expires_at: string;
  /** Email address of the invited person, if given. */
  email: string | null;
  invited_by: number;
}

export interface InvitationAcceptance {
  /** The code from the link. */
  code: string;
  /** Example: `ada@example.com` */
  email: string;
  /** Example: `Ada Lovelace` */
  name: string;
  /** Write-only. */
  password: string;
}

export interface InvitationCode {
  /** The code from the link. */
  code: string;
}

export interface InvitationFields {
  email?: string | null;
  /** 7 unless told otherwise. */
  days?: number;
}

export interface InvitationOffer {
  /** Name of the team. */
  team: string;
  /** Name of the inviting user. */
  invited_by: string | null;
  email: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  expires_at: string;
}

export interface Item {
  type: 'Note' | 'Image' | 'Video' | 'Audio' | 'Document' | 'Place';
  /**
   * The text, or the caption of media. Plain text, unless the mediaType of a Note is text/markdown
   * or text/html.
   */
  content?: string;
  /** Example: `https://example.com/hooks/switchboard` */
  url?: string;
  /** Example: `image/png` */
  mediaType?: string;
  name?: string;
  latitude?: number;
  longitude?: number;
  attachment?: Attachment[];
}

export interface Job {
  id: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  created_at: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  updated_at: string;
  application_id: number;
  kind: 'resend';
  state: 'counting' | 'running' | 'done' | 'canceled';
  filter: MessageFilter;
  /** Number of messages; while `counting`, the count so far. */
  total: number;
  /** Messages queued again. */
  done: number;
  skipped: {
    /** Skipped because their integration was deleted. */
    no_integration: number;
    /** Skipped because their state changed before their turn. */
    changed: number;
  };
  /** UTC. Example: `2026-11-15T09:30:00` */
  finished_at: string | null;
}

export interface Key {
  id: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  created_at: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  updated_at: string;
  resource_id: number;
  /** Whether the resource is enabled. */
  state: 'enable' | 'disable';
  /**
   * `api` keys sign tokens with their secret, `login` keys come from a sign-in, `minted` keys
   * belong to one token.
   */
  purpose: 'api' | 'login' | 'minted';
  /** Purpose of the key. */
  label: string | null;
  /** The user who created it; null for the operator. */
  created_by: number | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  last_used_at: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  expires_at: string | null;
}

export interface KeyFields {
  /** An int64, as a number or a decimal string. */
  resource_id: number | string;
  /** Whether the resource is enabled. */
  state: 'enable' | 'disable';
  /** Purpose, for people. */
  label?: string;
}

export interface Member {
  id: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  created_at: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  updated_at: string;
  /** Example: `Ada Lovelace` */
  name: string;
  /** Example: `ada@example.com` */
  email: string;
  /** Whether the resource is enabled. */
  state: 'enable' | 'disable';
  role: 'owner' | 'member';
  /** UTC. Example: `2026-11-15T09:30:00` */
  last_seen_at: string | null;
}

export interface Message {
  id: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  created_at: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  updated_at: string;
  application_id: number;
  integration_id: number;
  state: 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'canceled' | 'expired' | 'uncertain';
  /** The recipient, in the channel's format. */
  to: string;
  /** Number of attempts; `/attempts` lists the last hundred. */
  attempts: number;
  /**
   * Failed attempts since the message was accepted or resent; they drive the retry schedule. A
   * rate limit is not a failure.
   */
  failed_attempts: number;
  /**
   * Number of sent parts. A text that exceeds the channel's limit and several media have several
   * parts.
   */
  parts_sent: number;
  /** The channel's ids of the sent parts, if it returns them. */
  channel_ids: string[];
  /** UTC. Example: `2026-11-15T09:30:00` */
  expires_at: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  sent_at: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  delivered_at: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  read_at: string | null;
  /** Why the last attempt or the message failed. */
  error: {
    code: string;
    title: string;
    /** The channel's error message. */
    detail: string | null;
    /** What to do. */
    help: string;
  } | null;
  message: Activity;
}

export interface MessageDetail {
  id: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  created_at: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  updated_at: string;
  application_id: number;
  integration_id: number;
  state: 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'canceled' | 'expired' | 'uncertain';
  /** The recipient, in the channel's format. */
  to: string;
  /** Number of attempts; `/attempts` lists the last hundred. */
  attempts: number;
  /**
   * Failed attempts since the message was accepted or resent; they drive the retry schedule. A
   * rate limit is not a failure.
   */
  failed_attempts: number;
  /**
   * Number of sent parts. A text that exceeds the channel's limit and several media have several
   * parts.
   */
  parts_sent: number;
  /** The channel's ids of the sent parts, if it returns them. */
  channel_ids: string[];
  /** UTC. Example: `2026-11-15T09:30:00` */
  expires_at: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  sent_at: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  delivered_at: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  read_at: string | null;
  /** Why the last attempt or the message failed. */
  error: {
    code: string;
    title: string;
    /** The channel's error message. */
    detail: string | null;
    /** What to do. */
    help: string;
  } | null;
  message: Activity;
  waiting: {
    reason: 'disabled' | 'credentials' | 'unavailable' | 'order' | 'rate_limit' | 'processing' | 'retry';
    /** UTC. Example: `2026-11-15T09:30:00` */
    until: string | null;
    /** Whether `until` is an estimate from the channel's rate and the messages ahead. */
    estimated: boolean;
    detail: string;
  } | null;
}

/** Same as in the query of `GET /1/messages`. */
export interface MessageFilter {
  state?: string;
  channel?: string;
  /** An int64, as a number or a decimal string. */
  integration_id?: number | string;
  to?: string;
  id?: string;
  created_after?: string;
  created_before?: string;
}

/** State of a sent message. */
export interface MessageReport {
  id: number;
  application_id: number;
  integration_id: number;
  state: 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'canceled' | 'expired' | 'uncertain';
  /** The recipient, in the channel's format. */
  to: string;
  /** The caller's own id: `object.id`. */
  object_id: string | null;
  channel_ids: string[];
  error: {
    code: string;
    detail: string | null;
  } | null;
}

export interface NewApplication {
  /** An int64, as a number or a decimal string. */
  team_id: number | string;
  /** An int64, as a number or a decimal string. */
  owner_id: number | string;
  /** Whether the resource is enabled. */
  state: 'enable' | 'disable';
  webhook_url?: string | null;
  name?: string | null;
}

export interface NewIntegration {
  /** An int64, as a number or a decimal string. */
  application_id: number | string;
  /** A channel name, case-insensitive. Example: `telegram` */
  name: string;
  /** Whether the resource is enabled. */
  state: 'enable' | 'disable';
  token?: string | null;
  secret?: string | null;
  refresh?: string | null;
  username?: string | null;
  address?: string | null;
  consumer_key?: string | null;
  consumer_secret?: string | null;
}

export interface NewInvitation {
  id: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  created_at: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  expires_at: string;
  /** Email address of the invited person, if given. */
  email: string | null;
  invited_by: number;
  /** The code that accepts the invitation. Shown only once. */
  code: string;
  /** Link to pass on. */
  url: string;
}

export interface NewKey {
  id: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  created_at: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  updated_at: string;
  resource_id: number;
  /** Whether the resource is enabled. */
  state: 'enable' | 'disable';
  /**
   * `api` keys sign tokens with their secret, `login` keys come from a sign-in, `minted` keys
   * belong to one token.
   */
  purpose: 'api' | 'login' | 'minted';
  /** Purpose of the key. */
  label: string | null;
  /** The user who created it; null for the operator. */
  created_by: number | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  last_used_at: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  expires_at: string | null;
  /** Signs tokens, as the bytes of this string. Shown only once. */
  secret: string;
}

export interface NewUser {
  /** Example: `ada@example.com` */
  email: string;
  /** Whether the resource is enabled. */
  state: 'enable' | 'disable';
  name?: string | null;
  /** Write-only. */
  password?: string | null;
  /** An int64, as a number or a decimal string. */
  team_id?: number | string;
}

export interface Overview {
  queue: {
    /** Queued messages, counted up to 10000 per application. */
    waiting: number;
    /** UTC. Example: `2026-11-15T09:30:00` */
    oldest_at: string | null;
  };
  last_24_hours: Counts;
  problems: CurrentProblem[];
}

export interface Preview {
  integration_id: number;
  /** Example: `telegram` */
  channel: string;
  /** The recipient, in the channel's format. */
  to: string;
  /** Whether the message could be sent as it is. */
  ready: boolean;
  /** Requests to the channel, in order. */
  parts: Array<{
    does: 'send' | 'edit' | 'remove';
    /** Id of the earlier part to change. */
    id: string | null;
    /** The channel's method. Example: `sendMessage` */
    call: string | null;
    /** Request content without credentials; null for a removal. */
    content: unknown;
    /** File that the service downloads and uploads to the channel. */
    file: {
      url: string;
      media_type: string | null;
      name: string | null;
    } | null;
    /** Files that the service downloads and attaches, such as email attachments. */
    enclosed: Array<{
      url: string;
      media_type: string | null;
      name: string | null;
      /** Replacement text if the file is unavailable or exceeds the total size. */
      otherwise: string;
    }>;
    /** SMS segments of the text. */
    segments: {
      encoding: 'GSM-7' | 'UCS-2';
      count: number;
      /** Characters outside GSM 03.38 that force UCS-2. */
      because: string[];
    } | null;
  }>;
  /** Parts of the message that the channel cannot carry as requested. */
  degraded: Array<{
    what: 'image' | 'video' | 'audio' | 'document' | 'file' | 'place' | 'buttons' | 'formatting' | 'table' | 'list' | 'heading' | 'link' | 'caption' | 'length' | 'title' | 'reply' | 'thread';
    became: string;
    why: string;
  }>;
  /**
   * Parts of the text that the app may format or act on because it offers no escape for them. At
   * most 20.
   */
  may_be_formatted: Array<{
    /** Example: `*today*` */
    text: string;
    as: 'bold' | 'italic' | 'strikethrough' | 'code' | 'code block' | 'quote' | 'list' | 'link' | 'mention' | 'emoji' | 'spoiler' | 'math' | 'rule';
  }>;
  /** What must be fixed before the message can be sent. */
  missing: Array<{
    what: 'credential' | 'recipient' | 'channel';
    detail: string;
  }>;
  /** The error that sending would return; null if the message would be accepted. */
  error: {
    /** Example: `invalid_fields` */
    code: string;
    status: number;
    title: string;
    detail: string;
    errors: Array<{
      pointer: string;
      detail: string;
    }>;
  } | null;
}

export interface Realtime {
  url: string;
  /** Id of the last event, 0 if there is none. Open the URL with it as `after` to miss no event. */
  last: number;
}

/** A message or action of a person, as an Activity Streams 2.0 activity. */
export interface ReceivedActivity {
  '@context': string;
  /** URL of the event. */
  id: string;
  type: 'Create' | 'Update' | 'Delete' | 'Join' | 'Leave';
  /** Unix time in seconds, by the channel's clock. */
  published: number;
  /** The integration that received it. */
  generator: {
    type: 'Service';
    id: string;
    name?: string;
  };
  /** The sender. Send a message to this id to reply. */
  actor: {
    type: 'Person';
    id: string;
    name?: string;
  };
  /** The group it was sent in, otherwise the integration. */
  target: {
    type: 'Application' | 'Group';
    id: string;
    name?: string;
  };
  object: ReceivedObject;
}

export interface ReceivedAttachment {
  type: 'Note' | 'Image' | 'Video' | 'Audio' | 'Document' | 'Place' | 'Link' | 'Button';
  /** A URL of this service; fetch it with the application token. */
  url?: string;
  mediaType?: string;
  name?: string;
  /** The text, or the caption of a file. */
  content?: string;
  latitude?: number;
  longitude?: number;
  /** Label of the pressed button. */
  value?: string;
}

export interface ReceivedItem {
  type: 'Note' | 'Image' | 'Video' | 'Audio' | 'Document' | 'Place';
  /** A URL of this service; fetch it with the application token. */
  url?: string;
  mediaType?: string;
  name?: string;
  /** The text, or the caption of a file. */
  content?: string;
  latitude?: number;
  longitude?: number;
  attachment?: ReceivedAttachment[];
}

export interface ReceivedObject {
  type: 'Note' | 'Image' | 'Video' | 'Audio' | 'Document' | 'Place' | 'Collection' | 'Tombstone' | 'Person';
  /**
   * The channel's message id, for replies. A pressed button without one gets an id that begins
   * with `press:`.
   */
  id?: string;
  /** A URL of this service; fetch it with the application token. */
  url?: string;
  mediaType?: string;
  name?: string;
  /** The text, or the caption of a file. */
  content?: string;
  latitude?: number;
  longitude?: number;
  /** Id of the message it replies to. */
  inReplyTo?: string;
  context?: Thread;
  attributedTo?: ReceivedPerson;
  attachment?: ReceivedAttachment[];
  /** Items of a Collection. */
  items?: ReceivedItem[];
}

export interface ReceivedPerson {
  type: 'Person';
  id: string;
  name?: string;
}

export interface Recovery {
  /** UTC. Example: `2026-11-15T09:30:00` */
  since?: string;
  after?: number;
}

export interface ResendPreview {
  /** Number of messages that would be resent. */
  total: number;
  /** Count by state. */
  states: Record<string, number>;
  /** Whether there are more: counting stops at 10,000 per state. */
  is_more: boolean;
}

export interface SignIn {
  /** Example: `ada@example.com` */
  email?: string;
  password?: string;
  /** The code from a one-time sign-in link. */
  code?: string;
}

export interface Statistics {
  /** UTC. Example: `2026-11-15T09:30:00` */
  from: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  to: string;
  step: 'minute' | 'hour' | 'day';
  /** One entry per step, in order. */
  series: Array<{
    /** UTC. Example: `2026-11-15T09:30:00` */
    at: string;
    accepted: number;
    sent: number;
    delivered: number;
    read: number;
    failed: number;
    uncertain: number;
    canceled: number;
    expired: number;
    received: number;
    /** Time from acceptance to sent: p50, p90 and p99; null when no message was sent. */
    latency_ms: {
      p50: number | null;
      p90: number | null;
      p99: number | null;
    };
  }>;
  total: Counts;
  channels: Array<{
    channel: string;
    accepted: number;
    sent: number;
    delivered: number;
    read: number;
    failed: number;
    uncertain: number;
    canceled: number;
    expired: number;
    received: number;
    /** Time from acceptance to sent: p50, p90 and p99; null when no message was sent. */
    latency_ms: {
      p50: number | null;
      p90: number | null;
      p99: number | null;
    };
  }>;
  applications: Array<{
    application_id: number;
    accepted: number;
    sent: number;
    delivered: number;
    read: number;
    failed: number;
    uncertain: number;
    canceled: number;
    expired: number;
    received: number;
    /** Time from acceptance to sent: p50, p90 and p99; null when no message was sent. */
    latency_ms: {
      p50: number | null;
      p90: number | null;
      p99: number | null;
    };
  }>;
}

export interface Team {
  id: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  created_at: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  updated_at: string;
  /** Example: `Analytical Engines` */
  name: string;
  owner_id: number;
}

export interface TeamChange {
  /** Example: `Ada Lovelace` */
  name?: string;
  /** An int64, as a number or a decimal string. */
  owner_id?: number | string;
}

/** The thread of the message. */
export interface Thread {
  type?: 'Object';
  /** Thread id. */
  content: string;
}

export interface Token {
  token: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  expires_at: string;
}

export interface TokenLifetime {
  /** 30 unless told otherwise. */
  days?: number;
  /** Purpose, for people. */
  label?: string;
}

export interface Typing {
  to: {
    id: string;
  };
}

/** A message that could not be read and was skipped. It is still in the mailbox. */
export interface UnreadableReport {
  application_id: number;
  integration_id: number;
  /** Example: `email` */
  channel: string;
  /**
   * Why the message was skipped: `malformed`; parsing hit the `timeout` or `memory` limit, or
   * crashed its thread (`crash`); or the process ended while parsing (`interrupted`).
   */
  reason: 'malformed' | 'timeout' | 'memory' | 'crash' | 'interrupted';
  /** The sender named in the message. */
  sender: string | null;
  /** The channel's message id. */
  message_id: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  received_at: string;
}

export interface User {
  id: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  created_at: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  updated_at: string;
  team_id: number;
  /** Example: `Ada Lovelace` */
  name: string;
  /** Whether the resource is enabled. */
  state: 'enable' | 'disable';
}

export interface UserChange {
  /** Example: `ada@example.com` */
  email: string;
  /** Whether the resource is enabled. */
  state: 'enable' | 'disable';
  name?: string | null;
  /** Write-only. */
  password?: string;
  /** An int64, as a number or a decimal string. */
  team_id?: number | string;
}

export interface Webhook {
  url: string | null;
  /**
   * `failing`: two consecutive attempts failed; the first event is retried, the others wait.
   * `paused`: the endpoint answered 410 or failed for five days; nothing is sent until the webhook
   * is resumed. `disable`: no URL is set.
   */
  state: 'enable' | 'failing' | 'disable' | 'paused';
  /** Why the webhook is paused or failing. */
  reason: string | null;
  /** Start of the failing period, UTC. Example: `2026-11-15T09:30:00` */
  failing_since: string | null;
  /** Last response to the failing delivery that blocks the others (`blocking`). */
  last_answer: {
    /** UTC. Example: `2026-11-15T09:30:00` */
    at: string;
    /** HTTP status; null without a response. */
    status: string | null;
    /** The error. */
    detail: string | null;
    /** Start of the response body. */
    body: string | null;
  } | null;
  blocking: WebhookDelivery | null;
  /** Active signing secrets, newest first; two during a rotation. */
  secrets: string[];
  /** Events not delivered yet, including the blocking one. */
  waiting: number;
}

export interface WebhookDelivery {
  id: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  created_at: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  updated_at: string;
  event_id: number;
  /** Null once the event is past its retention. */
  event_type: 'message.received' | 'message.edited' | 'message.deleted' | 'message.unreadable' | 'member.joined' | 'member.left' | 'message.sent' | 'message.delivered' | 'message.read' | 'message.failed' | 'message.uncertain' | 'message.canceled' | 'message.expired' | 'integration.failing' | 'integration.recovered' | 'webhook.paused' | 'webhook.test' | null;
  state: 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'canceled' | 'expired' | 'uncertain';
  /** Recorded attempts, listed by `/attempts`. */
  attempts: number;
  /** Attempts that failed. */
  failed_attempts: number;
  /**
   * Next attempt, UTC; null while the delivery waits for another one or a person, or is finished.
   * Example: `2026-11-15T09:30:00`
   */
  next_at: string | null;
  error: {
    code: string;
    detail: string | null;
  } | null;
}

export interface WebhookReport {
  application_id: number;
  reason?: string;
  detail?: string | null;
}

export interface WebhookTrial {
  outcome: string;
  status: string | null;
  detail: string | null;
  duration_ms: number;
  answer: string | null;
  /** Headers of the request, including `webhook-signature`: one signature per secret, newest first. */
  headers: Record<string, string>;
  /** Body of the request, byte for byte. */
  body: string;
  /** The signed content: `webhook-id`, `webhook-timestamp` and the body, joined by dots. */
  signed: string;
}

/** What is in the `data` of each type of event. */
export interface EventData {
  'message.received': ReceivedActivity;
  'message.edited': ReceivedActivity;
  'message.deleted': ReceivedActivity;
  'message.unreadable': UnreadableReport;
  'member.joined': ReceivedActivity;
  'member.left': ReceivedActivity;
  'message.sent': MessageReport;
  'message.delivered': MessageReport;
  'message.read': MessageReport;
  'message.failed': MessageReport;
  'message.uncertain': MessageReport;
  'message.canceled': MessageReport;
  'message.expired': MessageReport;
  'integration.failing': IntegrationReport;
  'integration.recovered': IntegrationReport;
  'webhook.paused': WebhookReport;
  'webhook.test': WebhookReport;
}

/** The types of events. `webhook.test` comes to a webhook alone, and only when it is asked for. */
export type EventType = keyof EventData;

/** What every event has, whatever happened. */
export interface EventOf<Type extends EventType> {
  /** Its place in the feed: 1, 2, 3, without a gap. */
  id: number;
  type: Type;
  /** When it joined the feed, ISO 8601. */
  timestamp: string;
  data: EventData[Type];
}

/** Something that the application is told. Look at its `type`, and its `data` has that of it. */
export type Event = { [Type in Exclude<EventType, 'webhook.test'>]: EventOf<Type> }[Exclude<
  EventType,
  'webhook.test'
>];

/** What a webhook is sent to try it. It is not in the feed, and so has no id. */
export type WebhookTest = Omit<EventOf<'webhook.test'>, 'id'>;

/** Every call of the interface: what it takes, and what it answers. */
export interface Operations {
  /**
   * Send a message. Responds once the message is on disk. Name the integration with its id in
   * `generator.id`, or the channel in `generator.name`; an application with one integration needs
   * neither. Unknown names are refused. `to.id` is the recipient in the channel's format. Takes
   * the token of an application.
   */
  'POST /1/message': {
    query?: {
      /**
       * With `true`, nothing is stored or sent: the response is the rendered message and its
       * degradations.
       */
      dry_run?: 'true' | 'false';
    };
    body: {
      message: Activity;
    };
    answer: AcceptedMessage;
  };
  /**
   * Send a message. Responds once the message is on disk. Name the integration with its id in
   * `generator.id`, or the channel in `generator.name`; an application with one integration needs
   * neither. Unknown names are refused. `to.id` is the recipient in the channel's format. Takes
   * the token of an application.
   */
  'POST /1/message?dry_run=true': {
    body: {
      message: Activity;
    };
    answer: Preview;
  };
  /**
   * Send up to 1,000 messages. Either all are accepted or none. They are sent in the given order.
   * Takes the token of an application.
   */
  'POST /1/messages': {
    body: {
      messages: Activity[];
    };
    answer: {
      data: AcceptedMessage[];
    };
  };
  /**
   * List messages. Newest first. A filter without matches gives an empty list. Takes the token of
   * an application.
   */
  'GET /1/messages': {
    query?: {
      /** Maximum number of items. Values out of range are clamped. 100 unless told otherwise. */
      limit?: number;
      /** An item id: list items older than it. */
      starting_after?: number;
      /** An item id: list items newer than it. */
      ending_before?: number;
      /** Only messages in this state, or in one of several: `failed,expired`. */
      state?: string;
      /** Only messages through integrations of this channel. Example: `telegram` */
      channel?: string;
      /** Only messages through this integration. */
      integration_id?: number;
      /** Only messages to this recipient. */
      to?: string;
      /** Only the message with this id, and messages whose id starts with it. Example: `4711` */
      id?: string;
      /** Only messages accepted after this time, UTC. Example: `2026-11-15T00:00:00` */
      created_after?: string;
      /** Only messages accepted before this time, UTC. Example: `2026-11-16T00:00:00` */
      created_before?: string;
    };
    answer: {
      data: Message[];
    };
  };
  /**
   * Get a message. `waiting` says why a queued message is not being sent, and until when; `error`
   * has the last error and what to do. Takes the token of an application.
   */
  'GET /1/messages/{id}': {
    path: {
      id: number;
    };
    answer: MessageDetail;
  };
  /**
   * Cancel a message. Works until the message is being sent. Canceling twice is not an error.
   * Takes the token of an application.
   */
  'DELETE /1/messages/{id}': {
    path: {
      id: number;
    };
    answer: undefined;
  };
  /**
   * List the attempts to send a message. Oldest first. Secrets are masked. Takes the token of an
   * application.
   */
  'GET /1/messages/{id}/attempts': {
    path: {
      id: number;
    };
    answer: {
      data: Attempt[];
    };
  };
  /**
   * Resend a message. Puts a failed, canceled, expired or uncertain message at the end of its
   * recipient's queue. Parts that were sent are not repeated. Takes the token of an application.
   */
  'POST /1/messages/{id}/resend': {
    path: {
      id: number;
    };
    answer: AcceptedMessage;
  };
  /**
   * Retry a message now. Makes a message due that waits for its next attempt (`waiting.reason` is
   * `retry`). If that attempt fails, the retry schedule continues. Takes the token of an
   * application.
   */
  'POST /1/messages/{id}/retry': {
    path: {
      id: number;
    };
    answer: MessageDetail;
  };
  /**
   * Resend messages in bulk. Resends all matching messages that are failed, canceled, expired or
   * uncertain, oldest first; without `state`, all four. Returns a job that runs in the background
   * and survives restarts; `GET /1/jobs/{id}` shows its progress. Messages accepted after the job
   * are not included. Takes the token of an application.
   */
  'POST /1/messages/resend': {
    query?: {
      /** With `true`, nothing is stored or sent: the response is the number of messages. */
      dry_run?: 'true' | 'false';
    };
    body: {
      filter: MessageFilter;
    };
    answer: Job;
  };
  /**
   * Resend messages in bulk. Resends all matching messages that are failed, canceled, expired or
   * uncertain, oldest first; without `state`, all four. Returns a job that runs in the background
   * and survives restarts; `GET /1/jobs/{id}` shows its progress. Messages accepted after the job
   * are not included. Takes the token of an application.
   */
  'POST /1/messages/resend?dry_run=true': {
    body: {
      filter: MessageFilter;
    };
    answer: ResendPreview;
  };
  /**
   * List jobs. Newest first. Finished jobs are kept as long as messages. Takes the token of an
   * application.
   */
  'GET /1/jobs': {
    query?: {
      /** Maximum number of items. Values out of range are clamped. 100 unless told otherwise. */
      limit?: number;
      /** An item id: list items older than it. */
      starting_after?: number;
      /** An item id: list items newer than it. */
      ending_before?: number;
    };
    answer: {
      data: Job[];
    };
  };
  /** Get a job. With its progress. Takes the token of an application. */
  'GET /1/jobs/{id}': {
    path: {
      id: number;
    };
    answer: Job;
  };
  /**
   * Cancel a job. Messages that are already queued again are sent. Canceling a finished job
   * changes nothing. Takes the token of an application.
   */
  'DELETE /1/jobs/{id}': {
    path: {
      id: number;
    };
    answer: undefined;
  };
  /** Create an application. Without a name, the service assigns one. Takes the token of a user. */
  'POST /1/applications': {
    body: NewApplication;
    answer: Application;
  };
  /**
   * List applications. All applications of the caller's team, newest first. Takes the token of a
   * user.
   */
  'GET /1/applications': {
    query?: {
      /** Maximum number of items. Values out of range are clamped. 100 unless told otherwise. */
      limit?: number;
      /** An item id: list items older than it. */
      starting_after?: number;
      /** An item id: list items newer than it. */
      ending_before?: number;
    };
    answer: {
      data: Application[];
    };
  };
  /**
   * Get own application. The application of the token, even when it is disabled. Takes the token
   * of an application.
   */
  'GET /1/applications/me': {
    answer: Application;
  };
  /** Get an application. Get an application. Takes the token of a user. */
  'GET /1/applications/{id}': {
    path: {
      id: number;
    };
    answer: Application;
  };
  /**
   * Update an application. Omitted fields keep their values. Null or an empty string clears
   * `webhook_url`, and assigns a new `name`. Takes the token of a user.
   */
  'PUT /1/applications/{id}': {
    path: {
      id: number;
    };
    body: ApplicationChange;
    answer: undefined;
  };
  /**
   * Delete an application. Permanent. Its keys and integrations are deleted at once, its messages
   * shortly after. The id is never reused. Takes the token of a user.
   */
  'DELETE /1/applications/{id}': {
    path: {
      id: number;
    };
    answer: undefined;
  };
  /**
   * Get the delivery settings of an application. Get the delivery settings of an application.
   * Takes the token of a user.
   */
  'GET /1/applications/{id}/delivery': {
    path: {
      id: number;
    };
    answer: Delivery;
  };
  /**
   * Update the delivery settings of an application. Update the delivery settings of an
   * application. Takes the token of a user.
   */
  'PUT /1/applications/{id}/delivery': {
    path: {
      id: number;
    };
    body: Delivery;
    answer: undefined;
  };
  /**
   * Disable an application. The application sends nothing until it is enabled again; queued
   * messages wait. Nothing is lost. Takes the token of a user.
   */
  'DELETE /1/applications/{id}/disable': {
    path: {
      id: number;
    };
    answer: undefined;
  };
  /**
   * Create an integration. Optional fields may be added later; `GET /1/channels` says which ones
   * the channel needs to send. Takes the token of an application.
   */
  'POST /1/integrations': {
    body: NewIntegration;
    answer: Integration;
  };
  /**
   * List the integrations of an application. Newest first. An unknown application, or one of
   * another team, has none. Takes the token of an application.
   */
  'GET /1/applications/{id}/integrations': {
    path: {
      id: number;
    };
    query?: {
      /** Maximum number of items. Values out of range are clamped. 100 unless told otherwise. */
      limit?: number;
      /** An item id: list items older than it. */
      starting_after?: number;
      /** An item id: list items newer than it. */
      ending_before?: number;
      /**
       * With `true`, secrets are masked as `••••` plus their last four characters, if they are
       * long enough.
       */
      mask?: 'true' | 'false';
    };
    answer: {
      data: Integration[];
    };
  };
  /**
   * Get an integration. With its health, from recorded attempts and checks. Takes the token of an
   * application.
   */
  'GET /1/integrations/{id}': {
    path: {
      id: number;
    };
    query?: {
      /**
       * With `true`, secrets are masked as `••••` plus their last four characters, if they are
       * long enough.
       */
      mask?: 'true' | 'false';
    };
    answer: IntegrationDetail;
  };
  /**
   * Update an integration. Omitted fields, including `state`, keep their values; null or an empty
   * string clears an optional field. A secret sent back as `mask=true` shows it keeps its value.
   * Takes the token of an application.
   */
  'PUT /1/integrations/{id}': {
    path: {
      id: number;
    };
    body: IntegrationChange;
    answer: undefined;
  };
  /**
   * Delete an integration. Permanent. Queued messages are canceled; sent messages stay on record.
   * Takes the token of an application.
   */
  'DELETE /1/integrations/{id}': {
    path: {
      id: number;
    };
    answer: undefined;
  };
  /**
   * Disable an integration. New messages are refused; queued messages wait until the integration
   * is enabled again. Takes the token of an application.
   */
  'DELETE /1/integrations/{id}/disable': {
    path: {
      id: number;
    };
    answer: undefined;
  };
  /**
   * Check an integration. Checks that the credentials are complete and asks the channel to verify
   * them, without sending anything. A failed check marks the integration as failing; a passed one
   * ends a failing period and a pause for refused credentials. Takes the token of an application.
   */
  'POST /1/integrations/{id}/check': {
    path: {
      id: number;
    };
    answer: Check;
  };
  /**
   * Get the health of an integration. From recorded attempts and checks, without asking the
   * channel. Takes the token of an application.
   */
  'GET /1/integrations/{id}/health': {
    path: {
      id: number;
    };
    answer: Health;
  };
  /**
   * Get the webhook URL of an integration. Secret: anyone who knows it can write to it. Give it to
   * the vendor only. Takes the token of an application.
   */
  'GET /1/integrations/{id}/hook': {
    path: {
      id: number;
    };
    answer: Hook;
  };
  /**
   * Register the webhook with the vendor. Registers the URL through the vendor's API, if it has
   * one. The service does this itself when an integration is created or enabled and its public URL
   * is set. Takes the token of an application.
   */
  'POST /1/integrations/{id}/register': {
    path: {
      id: number;
    };
    answer: Hook;
  };
  /**
   * Read the feed. All events of the application in one order, oldest first. `Link` with
   * `rel="next"` continues after this page, even if no event matched yet. Takes the token of an
   * application.
   */
  'GET /1/events': {
    query?: {
      /** Id of the last known event: list events after it. 0 unless told otherwise. */
      after?: number;
      /** Maximum number of events. 100 unless told otherwise. */
      limit?: number;
      /** Seconds to wait for an event when there is none. 0 unless told otherwise. */
      wait?: number;
      /**
       * Only events of this type, or of one of several: `message.failed,message.expired`. Example:
       * `message.received`
       */
      type?: string;
      /** With `desc`, newest first, without waiting. "asc" unless told otherwise. */
      order?: 'asc' | 'desc';
      /** With `order=desc`, an event id: list events before it. */
      before?: number;
    };
    answer: {
      data: Event[];
    };
  };
  /** Get an event. Get an event. Takes the token of an application. */
  'GET /1/events/{id}': {
    path: {
      id: number;
    };
    answer: Event;
  };
  /**
   * Get a received file. Fetched from the channel on request and not stored. Received media carry
   * this URL in `url`. Takes the token of an application.
   */
  'GET /1/events/{id}/media/{number}': {
    path: {
      id: number;
      number: number;
    };
    answer: Response;
  };
  /**
   * Get a URL for streaming events. A WebSocket URL, for one connection within 30 seconds. It
   * streams the feed: received messages, edits and deletions as bare activities, other events in
   * their envelope; with `envelopes=true`, everything in its envelope. Add `after` with the id of
   * the last known event to continue after it; otherwise the stream starts with the next event.
   * The id of an activity ends with the id of its event. Takes the token of an application.
   */
  'GET /1/realtime': {
    answer: Realtime;
  };
  /**
   * Get the webhook of an application. The service posts every event to `webhook_url` as `{id,
   * type, timestamp, data}`, in feed order, with a Standard Webhooks signature. Takes the token of
   * a user.
   */
  'GET /1/applications/{id}/webhook': {
    path: {
      id: number;
    };
    answer: Webhook;
  };
  /**
   * Rotate the webhook secret. The previous secret keeps signing for another 24 hours. Takes the
   * token of a user.
   */
  'POST /1/applications/{id}/webhook/rotate': {
    path: {
      id: number;
    };
    answer: Webhook;
  };
  /**
   * Test the webhook. Sends an event of type `webhook.test` at once, ahead of waiting events, and
   * returns the endpoint's response. The event is not in the feed. Takes the token of a user.
   */
  'POST /1/applications/{id}/webhook/test': {
    path: {
      id: number;
    };
    answer: WebhookTrial;
  };
  /** Resume a paused webhook. Waiting events are delivered in order. Takes the token of a user. */
  'POST /1/applications/{id}/webhook/resume': {
    path: {
      id: number;
    };
    answer: Webhook;
  };
  /**
   * Replay events. Delivers events again, since a time (`since`) or after an event (`after`), in
   * order, followed by newer ones. Undelivered events are never skipped. Resumes a paused webhook.
   * Takes the token of a user.
   */
  'POST /1/applications/{id}/webhook/recover': {
    path: {
      id: number;
    };
    body: Recovery;
    answer: Webhook;
  };
  /**
   * List webhook deliveries. Newest first. Events not attempted yet are in the feed. Takes the
   * token of a user.
   */
  'GET /1/applications/{id}/webhook/deliveries': {
    path: {
      id: number;
    };
    query?: {
      /** Maximum number of items. Values out of range are clamped. 100 unless told otherwise. */
      limit?: number;
      /** An item id: list items older than it. */
      starting_after?: number;
      /** An item id: list items newer than it. */
      ending_before?: number;
      /** Only deliveries in this state, or in one of several: `failed,canceled`. Example: `failed` */
      state?: string;
      /** Only deliveries of this event to the current endpoint. */
      event_id?: number;
    };
    answer: {
      data: WebhookDelivery[];
    };
  };
  /** Get a webhook delivery. Get a webhook delivery. Takes the token of a user. */
  'GET /1/applications/{id}/webhook/deliveries/{delivery}': {
    path: {
      id: number;
      delivery: number;
    };
    answer: WebhookDelivery;
  };
  /**
   * List the attempts of a webhook delivery. List the attempts of a webhook delivery. Takes the
   * token of a user.
   */
  'GET /1/applications/{id}/webhook/deliveries/{delivery}/attempts': {
    path: {
      id: number;
      delivery: number;
    };
    answer: {
      data: Attempt[];
    };
  };
  /**
   * Redeliver an event. After all waiting events, with the same `webhook-id`. Takes the token of a
   * user.
   */
  'POST /1/applications/{id}/webhook/deliveries/{delivery}/resend': {
    path: {
      id: number;
      delivery: number;
    };
    answer: undefined;
  };
  /**
   * Show a typing indicator to a visitor. For `webmessenger` integrations. The indicator
   * disappears after some seconds, or when a message arrives. Takes the token of an application.
   */
  'POST /1/integrations/{id}/typing': {
    path: {
      id: number;
    };
    body: Typing;
    answer: undefined;
  };
  /** List channels. All channels, with the credentials and features of each. Takes no token. */
  'GET /1/channels': {
    answer: {
      data: Channel[];
    };
  };
  /**
   * Check credentials before saving them. Checks that they are complete and asks the channel to
   * verify them, without sending anything. With `integration_id`, omitted fields come from that
   * integration. Nothing is stored. Takes the token of an application.
   */
  'POST /1/channels/{name}/check': {
    path: {
      name: string;
    };
    body: CredentialTrial;
    answer: CredentialTrialResult;
  };
  /**
   * Get an overview. Queued messages, counts of the last day and current problems with their
   * fixes, for the caller's team, or for the application of an application token. Takes the token
   * of an application.
   */
  'GET /1/overview': {
    query?: {
      /** Only this application. */
      application_id?: number;
    };
    answer: Overview;
  };
  /**
   * Get message statistics. For the caller's team, or for the application of an application token.
   * A message counts when it is accepted, and again in each state it reaches. Counts appear within
   * about a second; a killed process loses the counts of its last second. Takes the token of an
   * application.
   */
  'GET /1/statistics': {
    query?: {
      /** Start, UTC; a day before the end by default. Example: `2026-11-15T00:00:00` */
      from?: string;
      /** End, UTC; now by default. Example: `2026-11-16T00:00:00` */
      to?: string;
      /**
       * Width of a step; chosen from the range by default. At most 1500 steps. Minutes are kept
       * for three days.
       */
      step?: 'minute' | 'hour' | 'day';
      /** Only messages of this application. */
      application_id?: number;
      /** Only messages through this channel. Example: `telegram` */
      channel?: string;
    };
    answer: Statistics;
  };
  /**
   * Sign in. Takes an email and password, or the code of a one-time link, and returns a user token
   * with its own key. `Location` names the key; revoke it to sign out. Takes no token.
   */
  'POST /1/tokens': {
    body: SignIn;
    answer: Token;
  };
  /**
   * Create an application token. The token has its own key, named in `Location`; revoking the key
   * revokes the token. Takes the token of a user.
   */
  'POST /1/applications/{id}/tokens': {
    path: {
      id: number;
    };
    body?: TokenLifetime;
    answer: Token;
  };
  /**
   * Create an application key. Tokens signed with its secret act as that application. The secret
   * is shown only once. Takes the token of a user.
   */
  'POST /1/keys/applications': {
    body: KeyFields;
    answer: NewKey;
  };
  /**
   * List application keys. The keys of all applications of the caller's team. Takes the token of a
   * user.
   */
  'GET /1/keys/applications': {
    query?: {
      /** Maximum number of items. Values out of range are clamped. 100 unless told otherwise. */
      limit?: number;
      /** An item id: list items older than it. */
      starting_after?: number;
      /** An item id: list items newer than it. */
      ending_before?: number;
      /** Only keys of this user or application. */
      resource_id?: number;
      /** Only keys created by this user. */
      created_by?: number;
    };
    answer: {
      data: Key[];
    };
  };
  /** Get an application key. Get an application key. Takes the token of a user. */
  'GET /1/keys/applications/{id}': {
    path: {
      id: number;
    };
    answer: Key;
  };
  /**
   * Revoke an application key. Every token signed with it stops working: at once on this node,
   * within a second on the others. Takes the token of a user.
   */
  'DELETE /1/keys/applications/{id}': {
    path: {
      id: number;
    };
    answer: undefined;
  };
  /**
   * Create a user key. Tokens signed with its secret act as that user. The secret is shown only
   * once. Takes the token of a user.
   */
  'POST /1/keys/users': {
    body: KeyFields;
    answer: NewKey;
  };
  /**
   * List user keys. The caller's own keys; for the team owner, the keys of all users. Sign-ins are
   * keys too. Takes the token of a user.
   */
  'GET /1/keys/users': {
    query?: {
      /** Maximum number of items. Values out of range are clamped. 100 unless told otherwise. */
      limit?: number;
      /** An item id: list items older than it. */
      starting_after?: number;
      /** An item id: list items newer than it. */
      ending_before?: number;
      /** Only keys of this user or application. */
      resource_id?: number;
      /** Only keys created by this user. */
      created_by?: number;
    };
    answer: {
      data: Key[];
    };
  };
  /** Get a user key. Get a user key. Takes the token of a user. */
  'GET /1/keys/users/{id}': {
    path: {
      id: number;
    };
    answer: Key;
  };
  /**
   * Revoke a user key. Every token signed with it stops working: at once on this node, within a
   * second on the others. Takes the token of a user.
   */
  'DELETE /1/keys/users/{id}': {
    path: {
      id: number;
    };
    answer: undefined;
  };
  /**
   * Get own account. The account of the token, even when it is disabled. Takes the token of a
   * user.
   */
  'GET /1/users/me': {
    answer: User;
  };
  /** List users. All users of the caller's team, newest first. Takes the token of a user. */
  'GET /1/users': {
    query?: {
      /** Maximum number of items. Values out of range are clamped. 100 unless told otherwise. */
      limit?: number;
      /** An item id: list items older than it. */
      starting_after?: number;
      /** An item id: list items newer than it. */
      ending_before?: number;
    };
    answer: {
      data: User[];
    };
  };
  /**
   * Add a user to the team. Requires the team owner. A user without a password cannot sign in with
   * one yet. Takes the token of a user.
   */
  'POST /1/users': {
    body: NewUser;
    answer: User;
  };
  /** Get a user. Get a user. Takes the token of a user. */
  'GET /1/users/{id}': {
    path: {
      id: number;
    };
    answer: User;
  };
  /**
   * Update an account. Users may update themselves; the team owner may update everyone. A null or
   * empty name is derived from the email. A new password ends the user's other sign-ins. The owner
   * cannot be disabled before the team is transferred. Takes the token of a user.
   */
  'PUT /1/users/{id}': {
    path: {
      id: number;
    };
    body: UserChange;
    answer: undefined;
  };
  /**
   * Remove a user from the team. Requires the team owner. Permanent: the user's sign-ins, keys and
   * pending invitations end at once, the owner takes over their applications, and their email
   * address is free again. Keys and tokens that they created for applications and others keep
   * working unless `revoke_keys` is set; `GET /1/keys/applications?created_by={id}` lists them.
   * Takes the token of a user.
   */
  'DELETE /1/users/{id}': {
    path: {
      id: number;
    };
    query?: {
      /** With `true`, also revokes all keys and tokens the user created. */
      revoke_keys?: 'true' | 'false';
    };
    answer: undefined;
  };
  /** Get your team. Get your team. Takes the token of a user. */
  'GET /1/teams/{id}': {
    path: {
      id: number;
    };
    answer: Team;
  };
  /**
   * Rename or transfer your team. Requires the team owner. `owner_id` names the new owner, a user
   * of the team. Takes the token of a user.
   */
  'PUT /1/teams/{id}': {
    path: {
      id: number;
    };
    body: TeamChange;
    answer: undefined;
  };
  /**
   * List the members of your team. Users with their email addresses and roles, newest first. Takes
   * the token of a user.
   */
  'GET /1/teams/{id}/members': {
    path: {
      id: number;
    };
    query?: {
      /** Maximum number of items. Values out of range are clamped. 100 unless told otherwise. */
      limit?: number;
      /** An item id: list items older than it. */
      starting_after?: number;
      /** An item id: list items newer than it. */
      ending_before?: number;
    };
    answer: {
      data: Member[];
    };
  };
  /**
   * Invite a person to the team. Requires the team owner. Anyone with the link can join once,
   * until it expires. The service sends nothing to `email`; the sign-up page suggests it. Takes
   * the token of a user.
   */
  'POST /1/invitations': {
    body?: InvitationFields;
    answer: NewInvitation;
  };
  /**
   * List pending invitations. Neither accepted nor expired, newest first, without their links.
   * Takes the token of a user.
   */
  'GET /1/invitations': {
    query?: {
      /** Maximum number of items. Values out of range are clamped. 100 unless told otherwise. */
      limit?: number;
      /** An item id: list items older than it. */
      starting_after?: number;
      /** An item id: list items newer than it. */
      ending_before?: number;
    };
    answer: {
      data: Invitation[];
    };
  };
  /**
   * Revoke an invitation. Requires the team owner. The link stops working at once. Takes the token
   * of a user.
   */
  'DELETE /1/invitations/{id}': {
    path: {
      id: number;
    };
    answer: undefined;
  };
  /**
   * Get an invitation by its code. No token needed. The invitation stays usable. Guesses are rate
   * limited. Takes no token.
   */
  'POST /1/invitations/preview': {
    body: InvitationCode;
    answer: InvitationOffer;
  };
  /**
   * Accept an invitation. No token needed. Creates a user of the team, who can then sign in, and
   * uses the link up. Guesses are rate limited. Takes no token.
   */
  'POST /1/invitations/accept': {
    body: InvitationAcceptance;
    answer: User;
  };
  /**
   * List audit entries. Changes to the team, its users, applications, integrations, keys and
   * webhooks; sign-ins; messages resent or canceled by a person. Newest first. A filter without
   * matches gives an empty list. Takes the token of a user.
   */
  'GET /1/audit': {
    query?: {
      /** Maximum number of items. Values out of range are clamped. 100 unless told otherwise. */
      limit?: number;
      /** An item id: list items older than it. */
      starting_after?: number;
      /** An item id: list items newer than it. */
      ending_before?: number;
      /**
       * Only entries with this action, such as `application.deleted`, or about this kind of
       * resource, such as `application`. Separate several with commas.
       */
      action?: string;
      /** Only entries by this user or application. */
      actor_id?: number;
      /** Only entries about this resource. */
      subject_id?: number;
      /** Only entries about this application and its resources. */
      application_id?: number;
      /** Only entries after this time, UTC. Example: `2026-11-15T00:00:00` */
      created_after?: string;
      /** Only entries before this time, UTC. Example: `2026-11-16T00:00:00` */
      created_before?: string;
    };
    answer: {
      data: AuditEntry[];
    };
  };
}
