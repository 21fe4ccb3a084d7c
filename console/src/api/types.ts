import type { Static } from 'typebox';

import type { ActivitySchema } from '../../../src/http/activity.ts';
import type { CheckSchema } from '../../../src/http/channel-credentials.ts';
import type { ConsentSchema } from '../../../src/http/openapi/consent-schemas.ts';
import type { AddressSchema, ContactSchema } from '../../../src/http/openapi/contact-schemas.ts';
import type {
  ConversationEntrySchema,
  ConversationSchema,
} from '../../../src/http/openapi/conversation-schemas.ts';
import type { EventSchema } from '../../../src/http/openapi/event-schemas.ts';
import type {
  ContactImportSchema,
  ImportErrorSchema,
} from '../../../src/http/openapi/import-schemas.ts';
import type {
  AcceptedSchema,
  MessageDetailSchema,
  MessageSchema,
} from '../../../src/http/openapi/message-schemas.ts';
import type { AttemptSchema } from '../../../src/http/openapi/schemas.ts';
import type {
  TemplateDetailSchema,
  TemplatePreviewSchema,
  TemplateSchema,
  VendorTemplatesSchema,
} from '../../../src/http/openapi/template-schemas.ts';
import type { GuideSchema } from '../../../src/http/pages/setup-guide.ts';
import type {
  ApplicationSchema,
  DeliverySchema,
} from '../../../src/http/routes/accounts/applications.ts';
import type { AuditEntrySchema } from '../../../src/http/routes/accounts/audit.ts';
import type {
  InvitationSchema,
  NewInvitationSchema,
  OfferSchema,
} from '../../../src/http/routes/accounts/invitations.ts';
import type { KeySchema, NewKeySchema } from '../../../src/http/routes/accounts/keys.ts';
import type { PoliciesSchema } from '../../../src/http/routes/accounts/policies.ts';
import type { HookSchema } from '../../../src/http/routes/accounts/registration.ts';
import type { SessionSchema, SetupSchema } from '../../../src/http/routes/accounts/sessions.ts';
import type { MemberSchema } from '../../../src/http/routes/accounts/teams.ts';
import type { TokenSchema } from '../../../src/http/routes/accounts/tokens.ts';
import type { UserSchema } from '../../../src/http/routes/accounts/users.ts';
import type { ChannelSchema } from '../../../src/http/routes/channels.ts';
import type { ConsentDetailSchema } from '../../../src/http/routes/consents.ts';
import type { HealthSchema } from '../../../src/http/routes/health.ts';
import type { IgnoredSchema } from '../../../src/http/routes/ignored.ts';
import type { IntegrationSchema } from '../../../src/http/routes/integrations.ts';
import type { JobSchema, ResendPreviewSchema } from '../../../src/http/routes/jobs.ts';
import type { PoolSchema } from '../../../src/http/routes/messaging/pools.ts';
import type { OverviewSchema } from '../../../src/http/routes/overview.ts';
import type { UploadedFileSchema } from '../../../src/http/routes/people/conversation-files.ts';
import type { ContactMergeSchema } from '../../../src/http/routes/people/merges.ts';
import type { ErasureSchema } from '../../../src/http/routes/people/privacy.ts';
import type { StatisticsSchema } from '../../../src/http/routes/statistics.ts';
import type { TrialSchema } from '../../../src/http/routes/webhooks.ts';
import type { PreviewSchema } from '../../../src/http/views/preview.ts';
import type { SandboxMessageSchema, SandboxSchema } from '../../../src/http/views/sandbox.ts';
import type { WebhookDeliverySchema, WebhookSchema } from '../../../src/http/views/webhook.ts';

/* API types, derived from the route schemas. Only types are imported, so no service code is bundled. */

export type Activity = Static<typeof ActivitySchema>;
export type Application = Static<typeof ApplicationSchema>;
export type IgnoredReport = Static<typeof IgnoredSchema>;
export type Channel = Static<typeof ChannelSchema>;
export type ChannelGuide = Static<typeof GuideSchema>;
export type CredentialName = Channel['credentials'][number]['name'];
export type Integration = Static<typeof IntegrationSchema>;
/** Values of a channel's options. */
export type MessageOptions = NonNullable<Integration['options']>;
export type IntegrationHealth = Static<typeof HealthSchema>;
export type Sandbox = Static<typeof SandboxSchema>;
export type SandboxMessage = Static<typeof SandboxMessageSchema>;
export type Hook = Static<typeof HookSchema>;
export type CheckResult = Static<typeof CheckSchema>;
export type DeliverySettings = Static<typeof DeliverySchema>;
export type Consent = Static<typeof ConsentSchema>;
export type ConsentDetail = Static<typeof ConsentDetailSchema>;
export type Contact = Static<typeof ContactSchema>;
export type ContactImport = Static<typeof ContactImportSchema>;
export type ContactImportError = Static<typeof ImportErrorSchema>;
export type ContactMerge = Static<typeof ContactMergeSchema>;
export type UploadedFile = Static<typeof UploadedFileSchema>;
export type Erasure = Static<typeof ErasureSchema>;
export type ContactAddress = Static<typeof AddressSchema>;
export type Conversation = Static<typeof ConversationSchema>;
export type ConversationEntry = Static<typeof ConversationEntrySchema>;
export type Pool = Static<typeof PoolSchema>;
export type Policies = Static<typeof PoliciesSchema>;
export type Job = Static<typeof JobSchema>;
export type ResendPreview = Static<typeof ResendPreviewSchema>;
export type Key = Static<typeof KeySchema>;
export type NewKey = Static<typeof NewKeySchema>;
export type Message = Static<typeof MessageSchema>;
export type MessageDetail = Static<typeof MessageDetailSchema>;
export type MessageState = Message['state'];
export type AcceptedMessage = Static<typeof AcceptedSchema>;
export type Attempt = Static<typeof AttemptSchema>;
export type Overview = Static<typeof OverviewSchema>;
export type CurrentProblem = Overview['problems'][number];
export type Statistics = Static<typeof StatisticsSchema>;
export type Preview = Static<typeof PreviewSchema>;
export type Template = Static<typeof TemplateSchema>;
export type TemplateDetail = Static<typeof TemplateDetailSchema>;
export type TemplatePreview = Static<typeof TemplatePreviewSchema>;
export type VendorTemplates = Static<typeof VendorTemplatesSchema>;
export type Member = Static<typeof MemberSchema>;
export type Invitation = Static<typeof InvitationSchema>;
export type NewInvitation = Static<typeof NewInvitationSchema>;
export type InvitationOffer = Static<typeof OfferSchema>;
export type AuditEntry = Static<typeof AuditEntrySchema>;
export type User = Static<typeof UserSchema>;
export type FeedEvent = Static<typeof EventSchema>;
/** The signed-in user. */
export type Session = Static<typeof SessionSchema>;
export type Setup = Static<typeof SetupSchema>;
export type Token = Static<typeof TokenSchema>;
export type Webhook = Static<typeof WebhookSchema>;
export type WebhookTest = Static<typeof TrialSchema>;
export type WebhookDelivery = Static<typeof WebhookDeliverySchema>;
