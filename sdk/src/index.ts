/* The client for Switchboard: one API in front of all messaging channels. */

export type * from './api.ts';
export { Switchboard, type SwitchboardOptions } from './client.ts';
export {
  type Answerable,
  type ButtonAction,
  type Composable,
  type Content,
  type Media,
  type Category,
  type Instructions,
  type Outgoing,
  type Place,
  type Recipient,
  type Sendable,
  type Sending,
  type Submission,
  activityOf,
  audio,
  button,
  document,
  image,
  note,
  place,
  pressed,
  remove,
  reply,
  update,
  video,
} from './compose.ts';
export { type ClientCode, type ErrorCode, type FieldError, SwitchboardError } from './errors.ts';
export type { FeedOptions, HistoryFilter } from './feed.ts';
export type { List, PageOptions } from './list.ts';
export type { RealtimeOptions, WebSocketClass, WebSocketLike } from './realtime.ts';
export type { AuditFilter } from './resources/audit.ts';
export type { IntegrationFields, Masking } from './resources/integrations.ts';
export type { KeyFilter } from './resources/keys.ts';
export type { MessageChange, MessageFilter, MessageState } from './resources/messages.ts';
export type { StatisticsFilter } from './resources/statistics.ts';
export type { DeliveryFilter } from './resources/webhooks.ts';
export type { Key as SigningKey, Token as TokenSource } from './token.ts';
export type { Answer, CallOptions, CallInput, OperationName } from './transport.ts';
export {
  type HeadersLike,
  type VerifyOptions,
  WebhookVerificationError,
  verifyWebhook,
} from './webhook.ts';
