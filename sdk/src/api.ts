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
  'range_not_satisfiable',
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
  'unknown_media',
  'public_url_missing',
  'button_value_too_long',
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
  /** Update and Delete act on an earlier message, by the id that its object had. */
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
   * When it is not worth sending any more, ISO 8601; without a zone it is UTC. Example:
   * `2026-11-15T18:00:00Z`
   */
  endTime?: string;
}

export interface ActivityObject {
  type: 'Note' | 'Image' | 'Video' | 'Audio' | 'Document' | 'Place' | 'Collection' | 'Tombstone';
  /**
   * The text; of media, the caption. Plain, unless the mediaType of a Note is text/markdown or
   * text/html.
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
  /** Of a Collection. */
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
  /** Whether it may be used. */
  state: 'enable' | 'disable';
  webhook_url: string | null;
}

export interface ApplicationChange {
  name?: string | null;
  /** Whether it may be used. */
  state?: 'enable' | 'disable';
  webhook_url?: string | null;
}

export interface Attachment {
  type: 'Image' | 'Video' | 'Audio' | 'Document' | 'Place' | 'Link' | 'Button';
  /**
   * The text; of media, the caption. Plain, unless the mediaType of a Note is text/markdown or
   * text/html.
   */
  content?: string;
  /**
   * An http or https URL. Of a Button also a tel or mailto URL; anything else is its value.
   * Example: `https://example.com/image.png`
   */
  url?: string;
  /** Example: `image/png` */
  mediaType?: string;
  name?: string;
  latitude?: number;
  longitude?: number;
  /**
   * Of a Button without a URL: what comes back when somebody presses it; its name where this is
   * left out. Example: `order-7:confirm`
   */
  value?: string;
}

export interface Attempt {
  number: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  started_at: string;
  duration_ms: number;
  /** Which part of the message it was. */
  part: number;
  outcome: 'sent' | 'limited' | 'transient' | 'uncertain' | 'permanent';
  /** Of the channel's answer. Example: `200` */
  status: string | null;
  /** The channel's own name for what went wrong. */
  code: string | null;
  /** In the words of the channel. */
  detail: string | null;
  /** What was asked, without secrets. */
  request: string | null;
  /** What was answered, without secrets. */
  answer: string | null;
}

export interface AuditEntry {
  id: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  created_at: string;
  actor: {
    /** `operator` is the command line, on the machine of the service. */
    type: 'user' | 'application' | 'operator';
    id: number | null;
    /** As it was called then. */
    name: string | null;
  };
  action: 'application.created' | 'application.updated' | 'application.deleted' | 'integration.created' | 'integration.updated' | 'integration.deleted' | 'webhook.rotated' | 'webhook.resumed' | 'webhook.recovered' | 'webhook.resent' | 'key.created' | 'key.revoked' | 'token.created' | 'message.canceled' | 'message.resent' | 'message.retried' | 'team.updated' | 'user.created' | 'user.updated' | 'user.deleted' | 'invitation.created' | 'invitation.revoked' | 'invitation.accepted' | 'session.link_created' | 'session.started' | 'session.ended' | 'session.ended_everywhere';
  subject: {
    type: 'application' | 'integration' | 'key' | 'message' | 'job' | 'team' | 'user' | 'invitation';
    id: number;
    /** As it was called then. */
    name: string | null;
  };
  application_id: number | null;
  /** The fields that were changed; of a secret only its name. */
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
    /** Whether nothing can be sent without it. */
    required: boolean;
  }>;
  /** Sets of credentials, any one of which is enough to send. */
  needs: Array<string[]>;
  /** Which credentials tell a genuine call of the vendor, and where its address goes. */
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
  /** What it can carry as it is; what it cannot degrades. */
  can: {
    send: boolean;
    /** How long one part of a text may be. */
    text: number | null;
    formatting: boolean;
    image: boolean;
    video: boolean;
    audio: boolean;
    document: boolean;
    place: boolean;
    buttons: {
      most: number;
      /** How many characters a name may have. */
      label: number;
      /** Buttons that lead to a page, dial a number, write an email, or bring a value back. */
      kinds: Array<'link' | 'tel' | 'mailto' | 'reply'>;
      /** The longest value; null where there is no limit but that of the interface. */
      value: {
        most: number;
        unit: 'bytes' | 'characters';
      } | null;
    } | null;
    /** Whether items of a collection with buttons of their own go side by side. */
    carousel: boolean;
    /** Where the title of a message goes. */
    title: string | null;
    reply: boolean;
    thread: boolean;
    edit: boolean;
    remove: boolean;
    /** Whether credentials can be tried. */
    check: boolean;
    /** Whether a second try is no duplicate. */
    repeats: boolean;
    /** How what people write comes back; empty where it does not. */
    receive: Array<'hook' | 'session' | 'page'>;
    /** Whether the vendor can be told where to call. */
    register: boolean;
    /** What is reported of messages that were sent. */
    receipts: string[];
  };
}

export interface Check {
  /**
   * `ok`: the channel knows us. `refused`: it does not take the credentials. `unreachable`: it
   * gave no useful answer; try again. `incomplete`: credentials are missing. `unknown`: nothing is
   * missing, and the channel cannot be asked.
   */
  status: 'ok' | 'refused' | 'unreachable' | 'incomplete' | 'unknown';
  /** The fields that are still to be supplied. */
  missing: string[];
  detail: string;
}

/**
 * Somebody has another address, such as a new phone number. What is sent to the previous one may
 * reach somebody else.
 */
export interface ContactChange {
  application_id: number;
  integration_id: number;
  /** Example: `whatsapp` */
  channel: string;
  previous: ReceivedPerson;
  current: ReceivedPerson;
  /** UTC. Example: `2026-11-15T09:30:00` */
  at: string;
}

export interface ContactConsent {
  application_id: number;
  integration_id: number;
  /** Example: `whatsapp` */
  channel: string;
  contact: ReceivedPerson;
  /** What it is about, in the channel's words. Example: `marketing_messages` */
  category: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  at: string;
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
  /**
   * How long after they were accepted messages were sent, for half, nine in ten and 99 in a
   * hundred of them; null where none was.
   */
  latency_ms: {
    p50: number | null;
    p90: number | null;
    p99: number | null;
  };
}

export interface CredentialTrial {
  /** An int64, as a number or as a decimal string. */
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
   * `ok`: the channel knows us. `refused`: it does not take the credentials. `unreachable`: it
   * gave no useful answer; try again. `incomplete`: credentials are missing. `unknown`: nothing is
   * missing, and the channel cannot be asked.
   */
  status: 'ok' | 'refused' | 'unreachable' | 'incomplete' | 'unknown';
  /** The fields that are still to be supplied. */
  missing: string[];
  detail: string;
  /**
   * What the channel has replaced by being asked, such as a refresh token that is good for one
   * use: to be saved in the place of what was sent.
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
  /**
   * An error keeps messages or events from going out, or waits for somebody; a warning may go away
   * by itself.
   */
  severity: 'error' | 'warning';
  what: string;
  /** In the words of the channel or the endpoint. */
  detail: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  since: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  until: string | null;
  /** What to do about it. */
  help: string;
  application_id: number;
  integration_id: number | null;
  channel: string | null;
  /** How many messages it is about. */
  count: number | null;
}

export interface Delivery {
  /**
   * What is done when the answer of a channel was lost, so that nobody knows whether a message was
   * sent, and the channel could not tell a repetition: `resend` sends it again (at least once),
   * `hold` makes it `uncertain` for a person to decide (at most once).
   */
  uncertain: 'resend' | 'hold';
}

export interface Health {
  /**
   * As `health.state` of the integration, except that `ok` stands for `working`, and `paused` also
   * for `limited`: `paused.reason` tells which.
   */
  state: 'ok' | 'unknown' | 'disabled' | 'incomplete' | 'paused' | 'failing';
  /**
   * When a message was last sent, UTC. Written once a second; a process that is killed may lose
   * its last second. Example: `2026-11-15T09:30:00`
   */
  last_success_at: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  failing_since: string | null;
  /**
   * The last failed attempt or check, in the words of the channel, without secrets. It stays after
   * a recovery.
   */
  last_error: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  last_error_at: string | null;
  paused: {
    reason: string;
    /** In the words of the channel. */
    detail: string | null;
    /** UTC. Example: `2026-11-15T09:30:00` */
    until: string | null;
    /** What to do about it. */
    help: string;
  } | null;
  /** The credentials that are missing. */
  missing: string[];
  /** Queued messages; at most 10000 are counted. */
  waiting: number;
  /** The process that sends for it. */
  owner_node: string | null;
}

export interface Hook {
  /** Where the vendor of the channel is to call; null where it calls nowhere. */
  url: string | null;
  /** Whether the vendor was told by us. */
  registered: boolean;
  /** UTC. Example: `2026-11-15T09:30:00` */
  registered_at: string | null;
  /** Where to enter the address at the vendor, when it cannot be registered. */
  setup: string | null;
}

export interface IgnoredReport {
  id: number;
  /** The channel's name for what it reported. Example: `messages.reaction` */
  type: string;
  reason: 'own' | 'bot' | 'elsewhere' | 'no_content' | 'no_change' | 'no_event' | 'unanswerable' | 'history' | 'incomplete';
  /** The reason, for a person to read. */
  description: string;
  /** How many came. Those of the last seconds may be missing. */
  count: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  first_at: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  last_at: string;
}

export interface Integration {
  id: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  created_at: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  updated_at: string;
  application_id: number;
  /** A channel of the catalogue, in upper or lower case. Example: `telegram` */
  name: string;
  /** Whether it may be used. */
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
  /** A channel of the catalogue, in upper or lower case. Example: `telegram` */
  name: string;
  /** Whether it may be used. */
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
  /** A channel of the catalogue, in upper or lower case. Example: `telegram` */
  name: string;
  /** Whether it may be used. */
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
   * check ends it. Faults of a recipient or of content and rate limits do not count. `paused`: the
   * channel refused the credentials; nothing is sent until they are changed or a check passes.
   * `limited`: the channel asked us to wait. `incomplete`: credentials are missing. `disabled`:
   * the integration or its application.
   */
  state: 'unknown' | 'working' | 'failing' | 'paused' | 'limited' | 'incomplete' | 'disabled';
  /**
   * Start of the failing period, UTC: its first failed attempt or check. Example:
   * `2026-11-15T09:30:00`
   */
  since: string | null;
  /**
   * The last failed attempt or check, in the words of the channel, without secrets. It stays after
   * a recovery.
   */
  last_error: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  last_error_at: string | null;
  /**
   * When a message was last sent, UTC. Written once a second; a process that is killed may lose
   * its last second. Example: `2026-11-15T09:30:00`
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
  /**
   * Why it fails: `credentials` are refused, or the channel is unreachable or out of order
   * (`transient`).
   */
  reason?: 'credentials' | 'transient';
  /** The last error, in the words of the channel. */
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
  /** Whom it is meant for, when that was said. */
  email: string | null;
  invited_by: number;
}

export interface InvitationAcceptance {
  /** That of the link. */
  code: string;
  /** Example: `ada@example.com` */
  email: string;
  /** Example: `Ada Lovelace` */
  name: string;
  /** Write-only. */
  password: string;
}

export interface InvitationCode {
  /** That of the link. */
  code: string;
}

export interface InvitationFields {
  email?: string | null;
  /** 7 unless told otherwise. */
  days?: number;
}

export interface InvitationOffer {
  /** The name of the team. */
  team: string;
  /** The name of who invites. */
  invited_by: string | null;
  email: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  expires_at: string;
}

export interface Item {
  type: 'Note' | 'Image' | 'Video' | 'Audio' | 'Document' | 'Place';
  /**
   * The text; of media, the caption. Plain, unless the mediaType of a Note is text/markdown or
   * text/html.
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
  /** How many messages it is about; while it is `counting`, how many so far. */
  total: number;
  /** How many have been queued again. */
  done: number;
  skipped: {
    /** Left alone, because their integration has been deleted. */
    no_integration: number;
    /** Left alone, because they came to another state before their turn. */
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
  /** Whether it may be used. */
  state: 'enable' | 'disable';
  /** `api` signs tokens by its secret, `login` came with a sign-in, `minted` belongs to one token. */
  purpose: 'api' | 'login' | 'minted';
  /** What it is for. */
  label: string | null;
  /** The user who made it; null for the operator of the service. */
  created_by: number | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  last_used_at: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  expires_at: string | null;
}

export interface KeyFields {
  /** An int64, as a number or as a decimal string. */
  resource_id: number | string;
  /** Whether it may be used. */
  state: 'enable' | 'disable';
  /** What it is for. */
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
  /** Whether it may be used. */
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
  /** The recipient, as the channel writes it. */
  to: string;
  /** How many attempts were made: as many as `/attempts` lists, which keeps the last hundred. */
  attempts: number;
  /**
   * How many attempts failed since the message was accepted or resent; the retry schedule goes by
   * it. A rate limit is no failure.
   */
  failed_attempts: number;
  /**
   * How many parts are out. A text that is too long for the channel has several, and so have
   * several media.
   */
  parts_sent: number;
  /** The channel's own ids of the parts that are out, where it tells them. */
  channel_ids: string[];
  /** UTC. Example: `2026-11-15T09:30:00` */
  expires_at: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  sent_at: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  delivered_at: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  read_at: string | null;
  /** Why the last try failed, or why the message came to nothing. */
  error: {
    code: string;
    title: string;
    /** In the words of the channel. */
    detail: string | null;
    /** What to do about it. */
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
  /** The recipient, as the channel writes it. */
  to: string;
  /** How many attempts were made: as many as `/attempts` lists, which keeps the last hundred. */
  attempts: number;
  /**
   * How many attempts failed since the message was accepted or resent; the retry schedule goes by
   * it. A rate limit is no failure.
   */
  failed_attempts: number;
  /**
   * How many parts are out. A text that is too long for the channel has several, and so have
   * several media.
   */
  parts_sent: number;
  /** The channel's own ids of the parts that are out, where it tells them. */
  channel_ids: string[];
  /** UTC. Example: `2026-11-15T09:30:00` */
  expires_at: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  sent_at: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  delivered_at: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  read_at: string | null;
  /** Why the last try failed, or why the message came to nothing. */
  error: {
    code: string;
    title: string;
    /** In the words of the channel. */
    detail: string | null;
    /** What to do about it. */
    help: string;
  } | null;
  message: Activity;
  waiting: {
    reason: 'disabled' | 'credentials' | 'unavailable' | 'order' | 'rate_limit' | 'processing' | 'retry';
    /** UTC. Example: `2026-11-15T09:30:00` */
    until: string | null;
    /** Whether `until` is an estimate, from the rate of the channel and the messages ahead. */
    estimated: boolean;
    detail: string;
  } | null;
}

/** As in the query of `GET /1/messages`. */
export interface MessageFilter {
  state?: string;
  channel?: string;
  /** An int64, as a number or as a decimal string. */
  integration_id?: number | string;
  to?: string;
  id?: string;
  created_after?: string;
  created_before?: string;
}

/** What became of a message that was sent. */
export interface MessageReport {
  id: number;
  application_id: number;
  integration_id: number;
  state: 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'canceled' | 'expired' | 'uncertain';
  /** The recipient, as the channel writes it. */
  to: string;
  /** What the caller called it: `object.id`. */
  object_id: string | null;
  channel_ids: string[];
  error: {
    code: string;
    detail: string | null;
  } | null;
}

export interface NewApplication {
  /** An int64, as a number or as a decimal string. */
  team_id: number | string;
  /** An int64, as a number or as a decimal string. */
  owner_id: number | string;
  /** Whether it may be used. */
  state: 'enable' | 'disable';
  webhook_url?: string | null;
  name?: string | null;
}

export interface NewIntegration {
  /** An int64, as a number or as a decimal string. */
  application_id: number | string;
  /** A channel of the catalogue, in upper or lower case. Example: `telegram` */
  name: string;
  /** Whether it may be used. */
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
  /** Whom it is meant for, when that was said. */
  email: string | null;
  invited_by: number;
  /** What it is accepted with, once. Shown this once. */
  code: string;
  /** The link to pass on, to a page of the console. */
  url: string;
}

export interface NewKey {
  id: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  created_at: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  updated_at: string;
  resource_id: number;
  /** Whether it may be used. */
  state: 'enable' | 'disable';
  /** `api` signs tokens by its secret, `login` came with a sign-in, `minted` belongs to one token. */
  purpose: 'api' | 'login' | 'minted';
  /** What it is for. */
  label: string | null;
  /** The user who made it; null for the operator of the service. */
  created_by: number | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  last_used_at: string | null;
  /** UTC. Example: `2026-11-15T09:30:00` */
  expires_at: string | null;
  /** Signs tokens, as the bytes of this string. Shown this once. */
  secret: string;
}

export interface NewUser {
  /** Example: `ada@example.com` */
  email: string;
  /** Whether it may be used. */
  state: 'enable' | 'disable';
  name?: string | null;
  /** Write-only. */
  password?: string | null;
  /** An int64, as a number or as a decimal string. */
  team_id?: number | string;
}

export interface Overview {
  queue: {
    /** How many messages are queued; of one application, no more than 10000 are counted. */
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
  /** The recipient, as the channel writes it. */
  to: string;
  /** Whether nothing is missing, so that it could be sent. */
  ready: boolean;
  /** What goes out, one request after the other. */
  parts: Array<{
    does: 'send' | 'edit' | 'remove';
    /** Of the earlier part that is changed. */
    id: string | null;
    /** The channel's method. Example: `sendMessage` */
    call: string | null;
    /** The content of the request, without credentials; null for what is removed. */
    content: unknown;
    /** What is downloaded and uploaded with it, for channels that want it so. */
    file: {
      url: string;
      media_type: string | null;
      name: string | null;
    } | null;
    /** The files that are downloaded and go along in it, as in a letter. */
    enclosed: Array<{
      url: string;
      media_type: string | null;
      name: string | null;
      /** What stands in its place, where it cannot be had or is too large with the others. */
      otherwise: string;
    }>;
    /**
     * Files in it that the application had received. Signed addresses are shown without their
     * signature.
     */
    received: Array<{
      /** As it is in the message. */
      url: string;
      /** Whether the service uploads the file, or the channel fetches it from a signed address. */
      by: 'upload' | 'address';
      /** When that address expires. */
      expires_at: string | null;
    }>;
    /** How many text messages the text is, where it goes as SMS. */
    segments: {
      encoding: 'GSM-7' | 'UCS-2';
      count: number;
      /** Characters that GSM 03.38 does not have, which make it UCS-2. */
      because: string[];
    } | null;
  }>;
  /** What does not go out as it was asked for. */
  degraded: Array<{
    what: 'image' | 'video' | 'audio' | 'document' | 'file' | 'place' | 'buttons' | 'value' | 'contact' | 'formatting' | 'table' | 'list' | 'heading' | 'language' | 'link' | 'caption' | 'length' | 'title' | 'long_title' | 'reply' | 'thread';
    became: string;
    why: string;
  }>;
  /**
   * Pieces of the text that go out as they were written, and that the product may format or act
   * on, since it has no escape for them. At most 20.
   */
  may_be_formatted: Array<{
    /** Example: `*today*` */
    text: string;
    as: 'bold' | 'italic' | 'strikethrough' | 'code' | 'code block' | 'quote' | 'list' | 'link' | 'mention' | 'emoji' | 'spoiler' | 'math' | 'rule';
  }>;
  /** What has to be put right before it can be sent. */
  missing: Array<{
    what: 'credential' | 'recipient' | 'channel' | 'public_url';
    detail: string;
  }>;
  /** The error that sending it would answer; null when it would be accepted. */
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
  /**
   * The id of the last event so far, 0 when there is none: whoever opens the address with it as
   * `after` misses nothing from now on.
   */
  last: number;
}

/** What somebody wrote or did, as an Activity Streams 2.0 activity. */
export interface ReceivedActivity {
  '@context': string;
  /** The address of the event. */
  id: string;
  type: 'Create' | 'Update' | 'Delete' | 'Join' | 'Leave';
  /** Unix time in seconds, by the clock of the channel. */
  published: number;
  /** The integration that heard it. */
  generator: {
    type: 'Service';
    id: string;
    name?: string;
  };
  /**
   * Where to answer, with the name of who it was: their id, or in a shared room the id of the
   * room. Who it was there is `object.attributedTo`.
   */
  actor: {
    type: 'Person';
    id: string;
    name?: string;
    /** Other addresses of the same person, where the channel tells them. */
    alsoKnownAs?: string[];
  };
  /** The group that it was said in; otherwise the integration. */
  target: {
    type: 'Application' | 'Group';
    id: string;
    name?: string;
  };
  object: ReceivedObject;
}

export interface ReceivedAttachment {
  type: 'Note' | 'Image' | 'Video' | 'Audio' | 'Document' | 'Place' | 'Link' | 'Button';
  /** An address of the service; it takes the token of the application. */
  url?: string;
  mediaType?: string;
  name?: string;
  /** The text; of a file, the caption. */
  content?: string;
  latitude?: number;
  longitude?: number;
  /** Of the button that was pressed. */
  value?: string;
}

export interface ReceivedItem {
  type: 'Note' | 'Image' | 'Video' | 'Audio' | 'Document' | 'Place';
  /** An address of the service; it takes the token of the application. */
  url?: string;
  mediaType?: string;
  name?: string;
  /** The text; of a file, the caption. */
  content?: string;
  latitude?: number;
  longitude?: number;
  attachment?: ReceivedAttachment[];
}

export interface ReceivedObject {
  type: 'Note' | 'Image' | 'Video' | 'Audio' | 'Document' | 'Place' | 'Collection' | 'Tombstone' | 'Person';
  /**
   * The channel's id of the message, to be replied to; of a pressed button without one, an id that
   * begins with `press:`.
   */
  id?: string;
  /** An address of the service; it takes the token of the application. */
  url?: string;
  mediaType?: string;
  name?: string;
  /** The text; of a file, the caption. */
  content?: string;
  latitude?: number;
  longitude?: number;
  /** HTML as it came, where `content` is sanitised. It must not be shown on a page as it is. */
  source?: {
    content: string;
    mediaType: string;
  };
  /** The id of the message it answers. */
  inReplyTo?: string;
  context?: Thread;
  attributedTo?: ReceivedPerson;
  attachment?: ReceivedAttachment[];
  /** Of a Collection. */
  items?: ReceivedItem[];
}

export interface ReceivedPerson {
  type: 'Person';
  id: string;
  name?: string;
  /** Other addresses of the same person, where the channel tells them. */
  alsoKnownAs?: string[];
}

export interface Recovery {
  /** UTC. Example: `2026-11-15T09:30:00` */
  since?: string;
  after?: number;
}

export interface ResendPreview {
  /** How many messages would be sent again. */
  total: number;
  /** How many of them are in which state. */
  states: Record<string, number>;
  /** Whether there are more: of each state, counting ends at 10,000. */
  is_more: boolean;
}

export interface SignIn {
  /** Example: `ada@example.com` */
  email?: string;
  password?: string;
  /** The code of a one-time sign-in link. */
  code?: string;
}

export interface Statistics {
  /** UTC. Example: `2026-11-15T09:30:00` */
  from: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  to: string;
  step: 'minute' | 'hour' | 'day';
  /** Every step of the time, in order. */
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
    /**
     * How long after they were accepted messages were sent, for half, nine in ten and 99 in a
     * hundred of them; null where none was.
     */
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
    /**
     * How long after they were accepted messages were sent, for half, nine in ten and 99 in a
     * hundred of them; null where none was.
     */
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
    /**
     * How long after they were accepted messages were sent, for half, nine in ten and 99 in a
     * hundred of them; null where none was.
     */
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
  /** An int64, as a number or as a decimal string. */
  owner_id?: number | string;
}

/** The thread that a message belongs to. */
export interface Thread {
  type?: 'Object';
  /** The id of the thread. */
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
  /** What it is for. */
  label?: string;
}

export interface Typing {
  to: {
    id: string;
  };
}

/**
 * A message that could not be read and was skipped. A mail is still in the mailbox; of
 * `unsupported` ones, only the sender can see what they say.
 */
export interface UnreadableReport {
  application_id: number;
  integration_id: number;
  /** Example: `email` */
  channel: string;
  /**
   * Why the message was skipped: it is `malformed`, or reading it took too long (`timeout`), too
   * much `memory` or ended its thread (`crash`); or the process ended while reading it
   * (`interrupted`); or the channel does not tell what it says (`unsupported`).
   */
  reason: 'malformed' | 'timeout' | 'memory' | 'crash' | 'interrupted' | 'unsupported';
  /** The sender, as the message names it. */
  sender: string | null;
  /** The channel's id of the message. */
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
  /** Whether it may be used. */
  state: 'enable' | 'disable';
}

export interface UserChange {
  /** Example: `ada@example.com` */
  email: string;
  /** Whether it may be used. */
  state: 'enable' | 'disable';
  name?: string | null;
  /** Write-only. */
  password?: string;
  /** An int64, as a number or as a decimal string. */
  team_id?: number | string;
}

export interface Webhook {
  url: string | null;
  /**
   * `failing`: two consecutive attempts failed; the first event is retried, the others wait.
   * `paused`: the endpoint answered 410, or failed for five days; nothing is sent until the
   * webhook is resumed. `disable`: there is no URL.
   */
  state: 'enable' | 'failing' | 'disable' | 'paused';
  /** Why it is paused or failing. */
  reason: string | null;
  /** When the first of these attempts failed, UTC. Example: `2026-11-15T09:30:00` */
  failing_since: string | null;
  /** The last answer to the delivery that failed and that the others wait for (`blocking`). */
  last_answer: {
    /** UTC. Example: `2026-11-15T09:30:00` */
    at: string;
    /** The HTTP status; null without an answer. */
    status: string | null;
    /** What went wrong. */
    detail: string | null;
    /** The start of the body. */
    body: string | null;
  } | null;
  blocking: WebhookDelivery | null;
  /** Those that sign, the newest first; two while one replaces the other. */
  secrets: string[];
  /** Events that the endpoint has not taken yet, the blocking one included. */
  waiting: number;
}

export interface WebhookDelivery {
  id: number;
  /** UTC. Example: `2026-11-15T09:30:00` */
  created_at: string;
  /** UTC. Example: `2026-11-15T09:30:00` */
  updated_at: string;
  event_id: number;
  /** Null once the event is not kept any more. */
  event_type: 'message.received' | 'message.edited' | 'message.deleted' | 'message.unreadable' | 'member.joined' | 'member.left' | 'contact.changed' | 'contact.opted_out' | 'contact.opted_in' | 'message.sent' | 'message.delivered' | 'message.read' | 'message.failed' | 'message.uncertain' | 'message.canceled' | 'message.expired' | 'integration.failing' | 'integration.recovered' | 'webhook.paused' | 'webhook.test' | null;
  state: 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'canceled' | 'expired' | 'uncertain';
  /** Attempts on record, as `/attempts` lists them. */
  attempts: number;
  /** Attempts that failed. */
  failed_attempts: number;
  /**
   * When it is tried again, UTC; null while it waits for another, for somebody, or for nothing.
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
  /**
   * Those of the request, `webhook-signature` too: one signature for each secret, the newest
   * first.
   */
  headers: Record<string, string>;
  /** That of the request, byte for byte. */
  body: string;
  /**
   * What the signatures are of: `webhook-id`, `webhook-timestamp` and the body, with dots between
   * them.
   */
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
  'contact.changed': ContactChange;
  'contact.opted_out': ContactConsent;
  'contact.opted_in': ContactConsent;
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
   * Send a message. Answers once the message is on disk. `generator.id` names the integration by
   * its id, or `generator.name` the channel; with a single integration neither is needed. A name
   * that is no channel is refused. `to.id` is the recipient as the channel writes it. Takes the
   * token of an application.
   */
  'POST /1/message': {
    query?: {
      /**
       * With `true`, nothing is stored or sent: the answer is what would go out, and what would be
       * lost.
       */
      dry_run?: 'true' | 'false';
    };
    body: {
      message: Activity;
    };
    answer: AcceptedMessage;
  };
  /**
   * Send a message. Answers once the message is on disk. `generator.id` names the integration by
   * its id, or `generator.name` the channel; with a single integration neither is needed. A name
   * that is no channel is refused. `to.id` is the recipient as the channel writes it. Takes the
   * token of an application.
   */
  'POST /1/message?dry_run=true': {
    body: {
      message: Activity;
    };
    answer: Preview;
  };
  /**
   * Send up to 1,000 messages. All of them are accepted, or none. They are sent in the order in
   * which they stand. Takes the token of an application.
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
   * List messages. The most recent first. A filter that nothing can match lists nothing. Takes the
   * token of an application.
   */
  'GET /1/messages': {
    query?: {
      /**
       * How many items at the most. What is out of range is taken as the nearest bound. 100 unless
       * told otherwise.
       */
      limit?: number;
      /** The id of an item; the list goes on with the ones that are older. */
      starting_after?: number;
      /** The id of an item; the list ends with the ones that are newer. */
      ending_before?: number;
      /** Only messages in this state, or in one of several: `failed,expired`. */
      state?: string;
      /** Only messages through integrations of this channel. Example: `telegram` */
      channel?: string;
      /** Only messages through this integration. */
      integration_id?: number;
      /** Only messages to this recipient. */
      to?: string;
      /** Only the message of this id, and those whose id begins with it. Example: `4711` */
      id?: string;
      /** Only messages accepted later than this, UTC. Example: `2026-11-15T00:00:00` */
      created_after?: string;
      /** Only messages accepted earlier than this, UTC. Example: `2026-11-16T00:00:00` */
      created_before?: string;
    };
    answer: {
      data: Message[];
    };
  };
  /**
   * Get a message. `waiting` says why a queued message is not being sent just now, and until when;
   * `error` says what went wrong and what to do. Takes the token of an application.
   */
  'GET /1/messages/{id}': {
    path: {
      id: number;
    };
    answer: MessageDetail;
  };
  /**
   * Cancel a message. Only what is not being sent, and not sent yet, can be canceled. Canceling
   * twice is no error. Takes the token of an application.
   */
  'DELETE /1/messages/{id}': {
    path: {
      id: number;
    };
    answer: undefined;
  };
  /**
   * List the attempts to send a message. In the order in which they were made. Secrets are masked.
   * Takes the token of an application.
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
   * Send a message again. One that is failed, canceled, expired or uncertain goes to the end of
   * the line to its recipient. Parts of it that are out already are not sent again. Takes the
   * token of an application.
   */
  'POST /1/messages/{id}/resend': {
    path: {
      id: number;
    };
    answer: AcceptedMessage;
  };
  /**
   * Try a message now. Makes a message due at once that waits for its next attempt
   * (`waiting.reason` is `retry`). If that attempt fails too, the retry schedule goes on. Takes
   * the token of an application.
   */
  'POST /1/messages/{id}/retry': {
    path: {
      id: number;
    };
    answer: MessageDetail;
  };
  /**
   * Send many messages again. All that the filter means and that are failed, canceled, expired or
   * uncertain, the oldest first; without `state`, of all four. It answers at once with a job,
   * which goes on in the background, through restarts too; `GET /1/jobs/{id}` says how far it has
   * come. Messages accepted later than the job are left alone. Takes the token of an application.
   */
  'POST /1/messages/resend': {
    query?: {
      /** With `true`, nothing is stored or sent: the answer is how many it would be. */
      dry_run?: 'true' | 'false';
    };
    body: {
      filter: MessageFilter;
    };
    answer: Job;
  };
  /**
   * Send many messages again. All that the filter means and that are failed, canceled, expired or
   * uncertain, the oldest first; without `state`, of all four. It answers at once with a job,
   * which goes on in the background, through restarts too; `GET /1/jobs/{id}` says how far it has
   * come. Messages accepted later than the job are left alone. Takes the token of an application.
   */
  'POST /1/messages/resend?dry_run=true': {
    body: {
      filter: MessageFilter;
    };
    answer: ResendPreview;
  };
  /**
   * List jobs. The most recent first. Those that are over are kept for as long as messages. Takes
   * the token of an application.
   */
  'GET /1/jobs': {
    query?: {
      /**
       * How many items at the most. What is out of range is taken as the nearest bound. 100 unless
       * told otherwise.
       */
      limit?: number;
      /** The id of an item; the list goes on with the ones that are older. */
      starting_after?: number;
      /** The id of an item; the list ends with the ones that are newer. */
      ending_before?: number;
    };
    answer: {
      data: Job[];
    };
  };
  /** Get a job. How far it has come. Takes the token of an application. */
  'GET /1/jobs/{id}': {
    path: {
      id: number;
    };
    answer: Job;
  };
  /**
   * Cancel a job. What it has done stays done: messages that are queued again are sent. Canceling
   * one that is over changes nothing. Takes the token of an application.
   */
  'DELETE /1/jobs/{id}': {
    path: {
      id: number;
    };
    answer: undefined;
  };
  /** Create an application. A name is made up when none is given. Takes the token of a user. */
  'POST /1/applications': {
    body: NewApplication;
    answer: Application;
  };
  /**
   * List applications. All applications of the caller's team, the most recent first. Takes the
   * token of a user.
   */
  'GET /1/applications': {
    query?: {
      /**
       * How many items at the most. What is out of range is taken as the nearest bound. 100 unless
       * told otherwise.
       */
      limit?: number;
      /** The id of an item; the list goes on with the ones that are older. */
      starting_after?: number;
      /** The id of an item; the list ends with the ones that are newer. */
      ending_before?: number;
    };
    answer: {
      data: Application[];
    };
  };
  /**
   * Get own application. The application that the token speaks for, even when it is disabled.
   * Takes the token of an application.
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
   * Update an application. What is left out stays as it is. Null or an empty string clears
   * `webhook_url`, and has a new `name` assigned. Takes the token of a user.
   */
  'PUT /1/applications/{id}': {
    path: {
      id: number;
    };
    body: ApplicationChange;
    answer: undefined;
  };
  /**
   * Delete an application. Permanent: its keys and integrations are gone at once, its messages
   * soon after. The id is never used again. Takes the token of a user.
   */
  'DELETE /1/applications/{id}': {
    path: {
      id: number;
    };
    answer: undefined;
  };
  /**
   * Get how an application wants its messages delivered. Get how an application wants its messages
   * delivered. Takes the token of a user.
   */
  'GET /1/applications/{id}/delivery': {
    path: {
      id: number;
    };
    answer: Delivery;
  };
  /**
   * Say how an application wants its messages delivered. Say how an application wants its messages
   * delivered. Takes the token of a user.
   */
  'PUT /1/applications/{id}/delivery': {
    path: {
      id: number;
    };
    body: Delivery;
    answer: undefined;
  };
  /**
   * Disable an application. It sends nothing until it is enabled again; what is queued waits.
   * Nothing is lost. Takes the token of a user.
   */
  'DELETE /1/applications/{id}/disable': {
    path: {
      id: number;
    };
    answer: undefined;
  };
  /**
   * Create an integration. Any of the optional strings may be left out for now; `GET /1/channels`
   * says which ones the channel needs to send. Takes the token of an application.
   */
  'POST /1/integrations': {
    body: NewIntegration;
    answer: Integration;
  };
  /**
   * List the integrations of an application. The most recent first. An application that is unknown
   * or not your own has none. Takes the token of an application.
   */
  'GET /1/applications/{id}/integrations': {
    path: {
      id: number;
    };
    query?: {
      /**
       * How many items at the most. What is out of range is taken as the nearest bound. 100 unless
       * told otherwise.
       */
      limit?: number;
      /** The id of an item; the list goes on with the ones that are older. */
      starting_after?: number;
      /** The id of an item; the list ends with the ones that are newer. */
      ending_before?: number;
      /**
       * With `true`, secrets are shown as `••••` and their last four characters, where they are
       * long enough for that.
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
       * With `true`, secrets are shown as `••••` and their last four characters, where they are
       * long enough for that.
       */
      mask?: 'true' | 'false';
    };
    answer: IntegrationDetail;
  };
  /**
   * Update an integration. What is left out, `state` too, stays as it is; null or an empty string
   * clears one of the optional strings. A secret that comes back as `mask=true` shows it stays,
   * too. Takes the token of an application.
   */
  'PUT /1/integrations/{id}': {
    path: {
      id: number;
    };
    body: IntegrationChange;
    answer: undefined;
  };
  /**
   * Delete an integration. Permanent. What is still queued for it is canceled; what was sent stays
   * on record. Takes the token of an application.
   */
  'DELETE /1/integrations/{id}': {
    path: {
      id: number;
    };
    answer: undefined;
  };
  /**
   * Disable an integration. New messages for it are refused; what is queued waits until it is
   * enabled again. Takes the token of an application.
   */
  'DELETE /1/integrations/{id}/disable': {
    path: {
      id: number;
    };
    answer: undefined;
  };
  /**
   * Check an integration. Says whether it has what its channel needs, and asks the channel who we
   * are, without sending anything. A failed check marks the integration as failing; a passed one
   * ends a failing period, and a pause for refused credentials. Takes the token of an application.
   */
  'POST /1/integrations/{id}/check': {
    path: {
      id: number;
    };
    answer: Check;
  };
  /**
   * Get the health of an integration. From recorded attempts and checks; the channel is not asked.
   * Takes the token of an application.
   */
  'GET /1/integrations/{id}/health': {
    path: {
      id: number;
    };
    answer: Health;
  };
  /**
   * Get the address of the hook. Whoever knows it could write to it: it is for the vendor of the
   * channel alone. Takes the token of an application.
   */
  'GET /1/integrations/{id}/hook': {
    path: {
      id: number;
    };
    answer: Hook;
  };
  /**
   * Register the hook with the vendor. Tells the vendor of the channel where to call, where the
   * vendor has a call for that. It is done by itself when an integration is made or enabled and
   * the service knows its public address. Takes the token of an application.
   */
  'POST /1/integrations/{id}/register': {
    path: {
      id: number;
    };
    answer: Hook;
  };
  /**
   * List what an integration ignored. Genuine webhook requests and session frames that became no
   * event, counted by type and reason. The kind that came up last is first; the 100 that came last
   * are kept. Nothing of what people wrote is in it. An integration that is unknown or not your
   * own has none. Takes the token of an application.
   */
  'GET /1/integrations/{id}/ignored': {
    path: {
      id: number;
    };
    query?: {
      /**
       * How many items at the most. What is out of range is taken as the nearest bound. 100 unless
       * told otherwise.
       */
      limit?: number;
      /** The id of an item; the list goes on with the ones that are older. */
      starting_after?: number;
      /** The id of an item; the list ends with the ones that are newer. */
      ending_before?: number;
    };
    answer: {
      data: IgnoredReport[];
    };
  };
  /**
   * Read the feed. Everything that the application is told, in one order, the oldest first. `Link`
   * with `rel="next"` goes on where this ends, also where there is nothing of the wanted types
   * yet. Takes the token of an application.
   */
  'GET /1/events': {
    query?: {
      /**
       * The id of the last event that is known; the list goes on after it. 0 unless told
       * otherwise.
       */
      after?: number;
      /** How many events at the most. 100 unless told otherwise. */
      limit?: number;
      /** For how many seconds to wait for an event when there is none. 0 unless told otherwise. */
      wait?: number;
      /**
       * Only events of this type, or of one of several: `message.failed,message.expired`. Example:
       * `message.received`
       */
      type?: string;
      /** With `desc` the newest come first, and nothing is waited for. "asc" unless told otherwise. */
      order?: 'asc' | 'desc';
      /** With `order=desc`, the id of an event; the list goes on with those before it. */
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
   * Get a file that somebody sent. It is fetched from the channel at the moment of the call, and
   * not kept. The addresses are those in the `url` of received media. Takes the token of an
   * application.
   */
  'GET /1/events/{id}/media/{number}': {
    path: {
      id: number;
      number: number;
    };
    query?: {
      /** Whose file it is: where it is another than the caller, nothing is found. */
      application?: number;
    };
    answer: Response;
  };
  /**
   * Get an address to listen at. A WebSocket address, to be opened once, within 30 seconds. It
   * streams the feed: received messages, their edits and deletions as bare activities, everything
   * else in its envelope; with `envelopes=true` added to it, everything in its envelope. Add
   * `after` with the id of the last event that is known, to go on after it; without, it begins
   * with what happens next. The id of an activity ends with that of its event. Takes the token of
   * an application.
   */
  'GET /1/realtime': {
    answer: Realtime;
  };
  /**
   * Get the webhook of an application. Every event is posted to `webhook_url` as `{id, type,
   * timestamp, data}`, in the order of the feed, signed by Standard Webhooks. Takes the token of a
   * user.
   */
  'GET /1/applications/{id}/webhook': {
    path: {
      id: number;
    };
    answer: Webhook;
  };
  /**
   * Change the secret of the webhook. The one before it signs as well for another 24 hours. Takes
   * the token of a user.
   */
  'POST /1/applications/{id}/webhook/rotate': {
    path: {
      id: number;
    };
    answer: Webhook;
  };
  /**
   * Try the webhook. Sends an event of type `webhook.test` at once, past all that waits, and says
   * what the endpoint answered. It is not in the feed. Takes the token of a user.
   */
  'POST /1/applications/{id}/webhook/test': {
    path: {
      id: number;
    };
    answer: WebhookTrial;
  };
  /** Resume a paused webhook. What has waited is delivered, in order. Takes the token of a user. */
  'POST /1/applications/{id}/webhook/resume': {
    path: {
      id: number;
    };
    answer: Webhook;
  };
  /**
   * Deliver events again. All of them since a moment (`since`), or after an event (`after`), in
   * order; and then what has happened since. What has not been delivered yet is never skipped. A
   * paused webhook is resumed. Takes the token of a user.
   */
  'POST /1/applications/{id}/webhook/recover': {
    path: {
      id: number;
    };
    body: Recovery;
    answer: Webhook;
  };
  /**
   * List the deliveries of the webhook. The most recent first. Events that have not had their turn
   * are in the feed. Takes the token of a user.
   */
  'GET /1/applications/{id}/webhook/deliveries': {
    path: {
      id: number;
    };
    query?: {
      /**
       * How many items at the most. What is out of range is taken as the nearest bound. 100 unless
       * told otherwise.
       */
      limit?: number;
      /** The id of an item; the list goes on with the ones that are older. */
      starting_after?: number;
      /** The id of an item; the list ends with the ones that are newer. */
      ending_before?: number;
      /** Only deliveries in this state, or in one of several: `failed,canceled`. Example: `failed` */
      state?: string;
      /** Only deliveries of this event to the present endpoint. */
      event_id?: number;
    };
    answer: {
      data: WebhookDelivery[];
    };
  };
  /** Get a delivery of the webhook. Get a delivery of the webhook. Takes the token of a user. */
  'GET /1/applications/{id}/webhook/deliveries/{delivery}': {
    path: {
      id: number;
      delivery: number;
    };
    answer: WebhookDelivery;
  };
  /** List the attempts of a delivery. List the attempts of a delivery. Takes the token of a user. */
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
   * Deliver an event again. After all that wait, under the same `webhook-id`. Takes the token of a
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
   * Show a visitor that you are writing. For an integration of the channel `webmessenger`. It is
   * shown for some seconds, or until something is sent. Takes the token of an application.
   */
  'POST /1/integrations/{id}/typing': {
    path: {
      id: number;
    };
    body: Typing;
    answer: undefined;
  };
  /**
   * List the channels. The catalogue: what an integration can be, and what each channel needs.
   * Takes no token.
   */
  'GET /1/channels': {
    answer: {
      data: Channel[];
    };
  };
  /**
   * Check credentials before they are saved. Says whether they are what the channel needs, and
   * asks the channel who we are, without sending anything. With `integration_id`, what is left out
   * is taken from that integration. Nothing is stored. Takes the token of an application.
   */
  'POST /1/channels/{name}/check': {
    path: {
      name: string;
    };
    body: CredentialTrial;
    answer: CredentialTrialResult;
  };
  /**
   * How things stand just now. With the applications of the caller's team, or, with an application
   * token, with the application: what waits, what happened within a day, and what is wrong and
   * what to do about it. Takes the token of an application.
   */
  'GET /1/overview': {
    query?: {
      /** Only of this application. */
      application_id?: number;
    };
    answer: Overview;
  };
  /**
   * What happened to messages, over time. Of the caller's team, or, with an application token, of
   * the application. A message counts where it was accepted, and again in each state that it comes
   * to. It is counted within about a second; a process that is killed takes the counts of its last
   * second with it. Takes the token of an application.
   */
  'GET /1/statistics': {
    query?: {
      /**
       * From when on, UTC; a day before the end when it is left out. Example:
       * `2026-11-15T00:00:00`
       */
      from?: string;
      /** Until when, UTC; until now when it is left out. Example: `2026-11-16T00:00:00` */
      to?: string;
      /**
       * How wide the steps are; what suits the time when it is left out. There are 1500 of them at
       * the most. Minutes are kept for three days.
       */
      step?: 'minute' | 'hour' | 'day';
      /** Only messages of this application. */
      application_id?: number;
      /** Only messages by this channel. Example: `telegram` */
      channel?: string;
    };
    answer: Statistics;
  };
  /**
   * Sign in. Takes email and password, or the code of a one-time link, and gives a user token with
   * a key of its own. Revoking that key, which `Location` names, is signing out. Takes no token.
   */
  'POST /1/tokens': {
    body: SignIn;
    answer: Token;
  };
  /**
   * Make an application token. The token has a key of its own, which `Location` names; revoking it
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
   * Create a key of an application. Tokens signed with its secret speak for that one. The secret
   * is shown this once. Takes the token of a user.
   */
  'POST /1/keys/applications': {
    body: KeyFields;
    answer: NewKey;
  };
  /**
   * List the keys of applications. The keys of all applications of the caller's team. Takes the
   * token of a user.
   */
  'GET /1/keys/applications': {
    query?: {
      /**
       * How many items at the most. What is out of range is taken as the nearest bound. 100 unless
       * told otherwise.
       */
      limit?: number;
      /** The id of an item; the list goes on with the ones that are older. */
      starting_after?: number;
      /** The id of an item; the list ends with the ones that are newer. */
      ending_before?: number;
      /** Only the keys of this one. */
      resource_id?: number;
      /** Only the keys that this user made. */
      created_by?: number;
    };
    answer: {
      data: Key[];
    };
  };
  /** Get a key of an application. Get a key of an application. Takes the token of a user. */
  'GET /1/keys/applications/{id}': {
    path: {
      id: number;
    };
    answer: Key;
  };
  /**
   * Revoke a key of an application. Every token it signed stops working: at once here, within a
   * second on every node. Takes the token of a user.
   */
  'DELETE /1/keys/applications/{id}': {
    path: {
      id: number;
    };
    answer: undefined;
  };
  /**
   * Create a key of a user. Tokens signed with its secret speak for that one. The secret is shown
   * this once. Takes the token of a user.
   */
  'POST /1/keys/users': {
    body: KeyFields;
    answer: NewKey;
  };
  /**
   * List the keys of users. The caller's own keys; for the team's owner, those of all its users.
   * Sign-ins are keys too. Takes the token of a user.
   */
  'GET /1/keys/users': {
    query?: {
      /**
       * How many items at the most. What is out of range is taken as the nearest bound. 100 unless
       * told otherwise.
       */
      limit?: number;
      /** The id of an item; the list goes on with the ones that are older. */
      starting_after?: number;
      /** The id of an item; the list ends with the ones that are newer. */
      ending_before?: number;
      /** Only the keys of this one. */
      resource_id?: number;
      /** Only the keys that this user made. */
      created_by?: number;
    };
    answer: {
      data: Key[];
    };
  };
  /** Get a key of a user. Get a key of a user. Takes the token of a user. */
  'GET /1/keys/users/{id}': {
    path: {
      id: number;
    };
    answer: Key;
  };
  /**
   * Revoke a key of a user. Every token it signed stops working: at once here, within a second on
   * every node. Takes the token of a user.
   */
  'DELETE /1/keys/users/{id}': {
    path: {
      id: number;
    };
    answer: undefined;
  };
  /**
   * Get own account. The account that the token speaks for, even when it is disabled. Takes the
   * token of a user.
   */
  'GET /1/users/me': {
    answer: User;
  };
  /** List users. All users of the caller's team, the most recent first. Takes the token of a user. */
  'GET /1/users': {
    query?: {
      /**
       * How many items at the most. What is out of range is taken as the nearest bound. 100 unless
       * told otherwise.
       */
      limit?: number;
      /** The id of an item; the list goes on with the ones that are older. */
      starting_after?: number;
      /** The id of an item; the list ends with the ones that are newer. */
      ending_before?: number;
    };
    answer: {
      data: User[];
    };
  };
  /**
   * Add a user to the team. Only the team's owner may. Without a password the user cannot sign in
   * by one yet. Takes the token of a user.
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
   * Update an account. Everyone may update themself; the team's owner may update everyone in it. A
   * name that is null or empty is made of the email again. A new password ends the user's other
   * sign-ins. The owner cannot be disabled before the team is handed over. Takes the token of a
   * user.
   */
  'PUT /1/users/{id}': {
    path: {
      id: number;
    };
    body: UserChange;
    answer: undefined;
  };
  /**
   * Remove a user from the team. Only the team's owner may. Permanent: their sign-ins, keys and
   * pending invitations end at once, their applications go to the owner, and their email address
   * is free again. Keys and tokens that they made for applications and for others go on working,
   * unless they are revoked with `revoke_keys`; `GET /1/keys/applications?created_by={id}` lists
   * them. Takes the token of a user.
   */
  'DELETE /1/users/{id}': {
    path: {
      id: number;
    };
    query?: {
      /** With `true`, all keys and tokens that the user made are revoked as well. */
      revoke_keys?: 'true' | 'false';
    };
    answer: undefined;
  };
  /** Get the own team. Get the own team. Takes the token of a user. */
  'GET /1/teams/{id}': {
    path: {
      id: number;
    };
    answer: Team;
  };
  /**
   * Rename the own team, or hand it over. Only its owner may. With `owner_id` another user of the
   * team owns it from then on. Takes the token of a user.
   */
  'PUT /1/teams/{id}': {
    path: {
      id: number;
    };
    body: TeamChange;
    answer: undefined;
  };
  /**
   * List the members of the own team. Its users with their email addresses and roles, the most
   * recent first. Takes the token of a user.
   */
  'GET /1/teams/{id}/members': {
    path: {
      id: number;
    };
    query?: {
      /**
       * How many items at the most. What is out of range is taken as the nearest bound. 100 unless
       * told otherwise.
       */
      limit?: number;
      /** The id of an item; the list goes on with the ones that are older. */
      starting_after?: number;
      /** The id of an item; the list ends with the ones that are newer. */
      ending_before?: number;
    };
    answer: {
      data: Member[];
    };
  };
  /**
   * Invite somebody to the team. Only the team's owner may. Whoever has the link can join, once,
   * within so many days. Nothing is sent to `email`: it is what the page suggests to them. Takes
   * the token of a user.
   */
  'POST /1/invitations': {
    body?: InvitationFields;
    answer: NewInvitation;
  };
  /**
   * List pending invitations. Those that nobody has accepted and that have not ended, the most
   * recent first, without their links. Takes the token of a user.
   */
  'GET /1/invitations': {
    query?: {
      /**
       * How many items at the most. What is out of range is taken as the nearest bound. 100 unless
       * told otherwise.
       */
      limit?: number;
      /** The id of an item; the list goes on with the ones that are older. */
      starting_after?: number;
      /** The id of an item; the list ends with the ones that are newer. */
      ending_before?: number;
    };
    answer: {
      data: Invitation[];
    };
  };
  /**
   * Revoke an invitation. Only the team's owner may. Its link stops working at once. Takes the
   * token of a user.
   */
  'DELETE /1/invitations/{id}': {
    path: {
      id: number;
    };
    answer: undefined;
  };
  /**
   * See what an invitation is to. Takes no token, and uses nothing up. Guessing is limited. Takes
   * no token.
   */
  'POST /1/invitations/preview': {
    body: InvitationCode;
    answer: InvitationOffer;
  };
  /**
   * Accept an invitation. Takes no token: makes a user of the team, who can then sign in. The link
   * is used up by that, and by nothing else. Guessing is limited. Takes no token.
   */
  'POST /1/invitations/accept': {
    body: InvitationAcceptance;
    answer: User;
  };
  /**
   * See who changed what. Changes to the team, its users, applications, integrations, keys and
   * webhooks, sign-ins, and messages that a person resent or canceled, the most recent first. A
   * filter that nothing can match lists nothing. Takes the token of a user.
   */
  'GET /1/audit': {
    query?: {
      /**
       * How many items at the most. What is out of range is taken as the nearest bound. 100 unless
       * told otherwise.
       */
      limit?: number;
      /** The id of an item; the list goes on with the ones that are older. */
      starting_after?: number;
      /** The id of an item; the list ends with the ones that are newer. */
      ending_before?: number;
      /**
       * Only what was done so, such as `application.deleted`, or to one kind of thing, such as
       * `application`. Several are separated by commas.
       */
      action?: string;
      /** Only what this user or application did. */
      actor_id?: number;
      /** Only what was done to this one. */
      subject_id?: number;
      /** Only what was done to this application and what belongs to it. */
      application_id?: number;
      /** Only what was done later than this, UTC. Example: `2026-11-15T00:00:00` */
      created_after?: string;
      /** Only what was done earlier than this, UTC. Example: `2026-11-16T00:00:00` */
      created_before?: string;
    };
    answer: {
      data: AuditEntry[];
    };
  };
}
