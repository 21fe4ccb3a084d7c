import type { AcceptedMessage } from '../../accept/accepted.ts';
import type { Invitation, KeyInfo, Team, User } from '../../model/account.ts';
import type { Application } from '../../model/application.ts';
import type { Attempt } from '../../model/attempt.ts';
import { findFault } from '../../model/fault.ts';
import { CREDENTIALS, type Integration } from '../../model/integration.ts';
import { type CountedMessage, type Message, isSent } from '../../model/message.ts';
import { type StoredCost, amountOf } from '../../model/sending/cost.ts';
import { readInstructions } from '../../model/sending/instructions.ts';
import { type MessageRoute, departureTime } from '../../model/sending/message-route.ts';
import { readPartIds } from '../../model/sending/sent-part.ts';
import type { ChosenTemplate } from '../../model/templates/template.ts';
import { type Millis, timestamp } from '../../model/timestamp.ts';
import type { Answer } from '../server/route.ts';
import { routeOf, routesView } from './routes.ts';
import type { WaitInfo } from './waiting.ts';

/* Resources as the API shows them. */

interface DatedItem {
  id: number;
  createdAt: number;
  updatedAt: number;
}

export const dated = ({ id, createdAt, updatedAt }: DatedItem) => ({
  id,
  created_at: timestamp(createdAt),
  updated_at: timestamp(updatedAt),
});

export const applicationView = (application: Application) => ({
  ...dated(application),
  team_id: application.teamId,
  owner_id: application.ownerId,
  name: application.name,
  state: application.state,
  webhook_url: application.webhookUrl,
});

/** Includes the optional fields that were supplied. */
export const integrationView = (integration: Integration) => ({
  ...dated(integration),
  application_id: integration.applicationId,
  name: integration.name,
  state: integration.state,
  ...(integration.mode === 'sandbox' && { mode: integration.mode }),
  ...(integration.label !== null && { label: integration.label }),
  ...(integration.account !== null && { account: integration.account }),
  ...Object.fromEntries(
    CREDENTIALS.flatMap((field) => {
      const value = integration.credentials[field];
      // In the sandbox, they are the simulator's.
      return value === undefined || integration.mode === 'sandbox' ? [] : [[field, value]];
    }),
  ),
  ...(Object.keys(integration.options).length > 0 && { options: integration.options }),
});

/** Never includes email or password. */
export const userView = (user: User) => ({
  ...dated(user),
  team_id: user.teamId,
  name: user.name,
  state: user.state,
});

/** For other members of the team. */
export const memberView = (user: User, team: Team, seenAt: number | undefined) => ({
  ...dated(user),
  name: user.name,
  email: user.email,
  state: user.state,
  role: user.id === team.ownerId ? 'owner' : 'member',
  last_seen_at: seenAt === undefined ? null : timestamp(seenAt),
});

export const teamView = (team: Team) => ({
  ...dated(team),
  name: team.name,
  owner_id: team.ownerId,
});

export const invitationView = (invitation: Invitation) => ({
  id: invitation.id,
  created_at: timestamp(invitation.createdAt),
  expires_at: timestamp(invitation.expiresAt),
  email: invitation.email,
  invited_by: invitation.invitedBy,
});

export const keyView = (key: KeyInfo) => ({
  ...dated(key),
  resource_id: key.resourceId,
  state: key.state,
  purpose: key.purpose,
  label: key.label,
  created_by: key.createdBy,
  last_used_at: key.lastUsedAt === null ? null : timestamp(key.lastUsedAt),
  expires_at: key.expiresAt === null ? null : timestamp(key.expiresAt),
});

/** Fields that lists of messages leave out. */
interface MessageExtras {
  cost?: StoredCost | undefined;
  routes?: readonly MessageRoute[] | undefined;
}

/** Returns JSON, because the activity is shown byte for byte as it was sent. */
export function messageJson(
  message: CountedMessage,
  waiting?: WaitInfo | null,
  { cost, routes }: MessageExtras = {},
): string {
  const { state, partsSent, channelIds, expiresAt } = message;
  const sendAt = departureTime(message);
  const fields = JSON.stringify({
    ...dated(message),
    application_id: message.applicationId,
    integration_id: message.integrationId,
    state,
    to: message.recipient,
    attempts: message.attemptCount,
    failed_attempts: message.attempts,
    parts_sent: partsSent,
    channel_ids: readPartIds(channelIds),
    ...(sendAt !== null && { send_at: timestamp(sendAt) }),
    ...(message.route !== null && { route: message.route }),
    expires_at: momentOf(expiresAt),
    sent_at: momentOf(sentAt(message)),
    delivered_at: momentOf(message.deliveredAt),
    read_at: state === 'read' ? timestamp(message.updatedAt) : null,
    error: faultOf(message),
    ...instructionsView(message),
    ...(cost && { cost: costView(cost) }),
    ...(routes && { routes: routesView(message, routes) }),
    ...(waiting !== undefined && { waiting }),
  });
  return `${fields.slice(0, -1)},"message":${message.activity}}`;
}

/** The instructions of the request, as far as they were given. */
function instructionsView({ category, instructions }: Message) {
  const { options, template, outsideWindow, sandbox, contact, changes } =
    readInstructions(instructions);
  return {
    ...(changes !== undefined && { changes }),
    ...(contact && { contact_id: contact.contactId, chosen_because: contact.because }),
    ...(category !== null && { category }),
    ...(options && { options }),
    ...(template && { template: templateView(template) }),
    ...(outsideWindow && { outside_window: templateView(outsideWindow) }),
    ...(sandbox && { sandbox }),
  };
}

const costView = ({ amountMicros, currency, category, billable }: StoredCost) => ({
  amount: amountOf(amountMicros),
  currency: currency || null,
  category: category || null,
  billable: billable === 1,
});

function templateView(template: ChosenTemplate) {
  const { name, language, parameters = {}, source } = template;
  const version = source === 'own' ? { version: template.version } : {};
  return { name, language, parameters, source, ...version };
}

const momentOf = (at: Millis | null) => (at === null ? null : timestamp(at));

/** When all parts were sent; null if they were not, or if that is unknown. */
function sentAt({ state, reason, settledAt }: Message): Millis | null {
  const wasSent = isSent(state) || (state === 'failed' && reason === 'undelivered');
  return wasSent ? settledAt : null;
}

/** The last error with its help text; null if there is none. */
export function faultOf({ state, reason, detail }: Message) {
  if (reason === null || state === 'scheduled') return null;
  const fault = findFault(reason);
  return { code: reason, title: fault?.title ?? reason, detail, help: fault?.help ?? '' };
}

export const attemptView = (attempt: Attempt, routes: readonly MessageRoute[] = []) => ({
  number: attempt.number,
  ...(routes.length > 0 && { route: routeOf(attempt, routes) }),
  started_at: timestamp(attempt.startedAt),
  duration_ms: attempt.duration,
  part: attempt.part,
  outcome: attempt.outcome,
  status: attempt.status,
  code: attempt.code,
  detail: attempt.detail,
  request: attempt.request,
  answer: attempt.answer,
});

const acceptedView = ({
  id,
  state,
  sendAt,
  createdAt,
  integrationId,
  applicationId,
  contact,
}: AcceptedMessage) => ({
  id,
  state,
  ...(sendAt !== null && { send_at: timestamp(sendAt) }),
  created_at: timestamp(createdAt),
  integration_id: integrationId,
  application_id: applicationId,
  ...(contact && {
    contact_id: contact.contactId,
    to: contact.to,
    chosen_because: contact.because,
  }),
});

/** The response to one message or a batch. */
export function acceptedAnswer(messages: readonly AcceptedMessage[], single: boolean): Answer {
  const [first] = messages;
  if (!single || !first) return { status: 202, body: { data: messages.map(acceptedView) } };
  return {
    status: 202,
    body: acceptedView(first),
    headers: { location: `/1/messages/${first.id}` },
  };
}
