import type { Application } from '../../../../src/model/application.ts';
import type { AuditEntry } from '../../../../src/model/audit.ts';
import type { Id } from '../../../../src/model/id.ts';
import type { Integration } from '../../../../src/model/integration.ts';
import type { NewMessage } from '../../../../src/model/message.ts';
import type { Store } from '../../../../src/store/store.ts';

/** The rows that the calls use. In a large store they belong to its largest tenant. */
export interface Subject {
  teamId: Id;
  userId: Id;
  applicationId: Id;
  integrationId: Id;
}

export const NODE = 'exercise';
export const NOW = Date.now();
export const DATED = { createdAt: NOW, updatedAt: NOW } as const;
export const PAGE = { limit: 20 } as const;
/** The number of rows that the sweeper removes at once. */
export const BATCH = 1_000;

/** Creates an application with one integration. */
export async function createApplication(
  store: Store,
  { teamId, userId }: Pick<Subject, 'teamId' | 'userId'>,
  webhookUrl: string | null = null,
): Promise<Subject> {
  const applicationId = await store.nextId();
  const application: Application = {
    id: applicationId,
    teamId,
    ownerId: userId,
    name: 'application',
    state: 'enable',
    webhookUrl,
    uncertain: 'resend',
    ...DATED,
  };
  await store.applications.insert(application);
  const integration: Integration = {
    id: await store.nextId(),
    applicationId,
    name: 'webhook',
    state: 'enable',
    mode: 'live',
    label: null,
    account: null,
    credentials: { address: 'https://example.com' },
    options: {},
    ...DATED,
  };
  await store.integrations.insert(integration);
  return { teamId, userId, applicationId, integrationId: integration.id };
}

/** Accepts one message for each recipient; returns their ids. */
export async function acceptMessages(
  store: Store,
  { applicationId, integrationId }: Subject,
  recipients: readonly string[],
  change: Partial<NewMessage> = {},
): Promise<Id[]> {
  const messages = recipients.map((recipient): NewMessage => {
    const place = { applicationId, integrationId, recipient };
    const rest = { objectId: `object ${recipient}`, type: 'Create', expiresAt: null } as const;
    return { ...place, ...rest, activity: '{}', createdAt: NOW, ...change };
  });
  const [accepted] = await store.messages.accept([{ messages }]);
  return accepted && 'ids' in accepted ? accepted.ids : [];
}

export const auditEntry = ({ teamId, userId, applicationId }: Subject, id: Id): AuditEntry => ({
  teamId,
  id,
  actorType: 'user',
  actorId: userId,
  actorName: null,
  action: 'application.updated',
  subjectType: 'application',
  subjectId: applicationId,
  subjectName: null,
  applicationId,
  changes: '[]',
  createdAt: NOW,
});
