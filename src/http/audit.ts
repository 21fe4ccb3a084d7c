import type { Clock } from '../lib/runtime/clock.ts';
import type { ApplicationPrincipal, UserPrincipal } from '../model/account.ts';
import type { Application } from '../model/application.ts';
import type { AuditAction, AuditEntry, AuditSubject, FieldChange } from '../model/audit.ts';
import type { Id } from '../model/id.ts';
import type { Integration } from '../model/integration.ts';
import type { Store } from '../store/store.ts';

/** A user who acts for themselves; `name` is set while the store cannot look it up yet. */
type UserActor = Pick<UserPrincipal, 'kind' | 'userId' | 'teamId'> & { name?: string };

/** Who makes a change: the caller, or the operator on behalf of a team. */
export type Actor =
  | UserActor
  | Pick<ApplicationPrincipal, 'kind' | 'applicationId' | 'teamId' | 'userId'>
  | { kind: 'operator'; teamId: Id };

type ActorFields = Pick<AuditEntry, 'actorType' | 'actorId' | 'actorName'>;

/** Builds audit entries, which the store writes in the same transaction as the change. */
export class Audit {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async entry(
    actor: Actor,
    action: AuditAction,
    subject: AuditSubject,
    changes: readonly FieldChange[] = [],
  ): Promise<AuditEntry> {
    const { type, id: subjectId, name = null, applicationId = null } = subject;
    return {
      teamId: actor.teamId,
      id: await this.#store.nextId(),
      ...(await this.#actor(actor)),
      action,
      subjectType: type,
      subjectId,
      subjectName: name,
      applicationId,
      changes: JSON.stringify(changes),
      createdAt: this.#clock.now(),
    };
  }

  /** An entry for an update; none if nothing changed. */
  async update(
    actor: Actor,
    action: AuditAction,
    subject: AuditSubject,
    changes: readonly FieldChange[],
  ): Promise<AuditEntry | undefined> {
    return changes.length === 0 ? undefined : this.entry(actor, action, subject, changes);
  }

  /** An entry for a change that a user makes to their own sessions. */
  async session(
    actor: UserActor,
    action: 'session.started' | 'session.ended' | 'session.ended_everywhere',
  ): Promise<AuditEntry> {
    const name = (await this.#store.users.get(actor.userId))?.name ?? null;
    return this.entry(actor, action, aboutUser({ id: actor.userId, name }));
  }

  /** Applications handle their messages all day; only a person's action is worth an entry. */
  async byPerson(
    actor: ApplicationPrincipal,
    action: AuditAction,
    subject: AuditSubject,
  ): Promise<AuditEntry | undefined> {
    return actor.userId === undefined ? undefined : this.entry(actor, action, subject);
  }

  /** A user who acts for an application is the actor. */
  async #actor(actor: Actor): Promise<ActorFields> {
    if (actor.kind === 'operator') return { actorType: 'operator', actorId: null, actorName: null };
    if (actor.kind === 'user') return this.#user(actor.userId, actor.name);
    if (actor.userId !== undefined) return this.#user(actor.userId);
    const { applicationId: actorId } = actor;
    const actorName = (await this.#store.applications.get(actorId))?.name ?? null;
    return { actorType: 'application', actorId, actorName };
  }

  async #user(actorId: Id, name?: string): Promise<ActorFields> {
    const actorName = name ?? (await this.#store.users.get(actorId))?.name ?? null;
    return { actorType: 'user', actorId, actorName };
  }
}

export const aboutUser = ({ id, name }: { id: Id; name: string | null }): AuditSubject => ({
  type: 'user',
  id,
  name,
});

export const aboutApplication = ({ id, name }: Pick<Application, 'id' | 'name'>): AuditSubject => ({
  type: 'application',
  id,
  name,
  applicationId: id,
});

export const aboutIntegration = ({ id, name, applicationId }: Integration): AuditSubject => ({
  type: 'integration',
  id,
  name,
  applicationId,
});

export const aboutMessage = (id: Id, applicationId: Id): AuditSubject => ({
  type: 'message',
  id,
  applicationId,
});

/** User keys belong to no application. */
export const aboutKey = (key: {
  id: Id;
  kind: 'user' | 'application';
  resourceId: Id;
}): AuditSubject => ({
  type: 'key',
  id: key.id,
  ...(key.kind === 'application' && { applicationId: key.resourceId }),
});
