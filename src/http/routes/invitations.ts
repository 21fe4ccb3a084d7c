import Type from 'typebox';

import { hashPassword } from '../../lib/password.ts';
import { type User, normaliseEmail } from '../../model/account.ts';
import { type AuditSubject, visible } from '../../model/audit.ts';
import type { Id as IdNumber } from '../../model/id.ts';
import { Problem } from '../../model/problem.ts';
import { timestamp } from '../../model/timestamp.ts';
import { invalidInvitation } from '../invitations.ts';
import { PAGING, listAnswer, pageRequest } from '../paging.ts';
import {
  type Route,
  created,
  noContent,
  notFound,
  ok,
  openRoute,
  pathId,
  userRoute,
} from '../route.ts';
import { DisplayName, Email, Id, Password, Timestamp, listOf, nullable } from '../schemas.ts';
import type { Services } from '../services.ts';
import { invitationView, userView } from '../views.ts';
import { UserSchema, emailTaken } from './users.ts';

export const InvitationSchema = Type.Object(
  {
    id: Id,
    created_at: Timestamp,
    expires_at: Timestamp,
    email: nullable(Type.String({ description: 'Whom it is meant for, when that was said.' })),
    invited_by: Id,
  },
  { title: 'Invitation' },
);

export const NewInvitationSchema = Type.Object(
  {
    ...InvitationSchema.properties,
    code: Type.String({ description: 'What it is accepted with, once. Shown this once.' }),
    url: Type.String({ description: 'The link to pass on, to a page of the console.' }),
  },
  { title: 'NewInvitation' },
);

export const OfferSchema = Type.Object(
  {
    team: Type.String({ description: 'The name of the team.' }),
    invited_by: nullable(Type.String({ description: 'The name of who invites.' })),
    email: nullable(Type.String()),
    expires_at: Timestamp,
  },
  { title: 'InvitationOffer' },
);

const Creation = Type.Object(
  {
    email: Type.Optional(nullable(Email)),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: 7 })),
  },
  { title: 'InvitationFields' },
);

const Code = Type.String({ minLength: 1, maxLength: 128, description: 'That of the link.' });

const Acceptance = Type.Object(
  { code: Code, email: Email, name: DisplayName, password: Password },
  { title: 'InvitationAcceptance' },
);

const DAYS = 7;
const EXAMPLE_CODE = '1.not-a-secret';

const tag = 'Invitations';
const path = '/1/invitations';

/** Joining a team by a link. */
export function invitationRoutes({ store, clock, invitations, audit }: Services): Route[] {
  return [
    userRoute({
      method: 'POST',
      path,
      operationId: 'createInvitation',
      tag,
      summary: 'Invite somebody to the team',
      description:
        "Only the team's owner may. Whoever has the link can join, once, within so many days. Nothing is sent to `email`: it is what the page suggests to them.",
      body: Creation,
      bodyOptional: true,
      example: { email: 'ada@example.com', days: 7 },
      success: {
        status: 201,
        description: 'The invitation, with its link.',
        schema: NewInvitationSchema,
      },
      problems: ['not_team_owner'],
      async handle(call) {
        const { caller, body } = call;
        if (!caller.ownsTeam)
          throw new Problem('not_team_owner', "only the team's owner invites people");
        const email = typeof body?.email === 'string' ? normaliseEmail(body.email) : null;
        const { invitation, code } = await invitations.make(caller, email, body?.days ?? DAYS);
        const url = `${call.baseUrl()}/invitation#code=${code}`;
        const view = { ...invitationView(invitation), code, url };
        const answer = created(`${path}/${invitation.id}`, view);
        const about = aboutInvitation(invitation.id, email);
        const entry = await audit.entry(caller, 'invitation.created', about);
        await store.invitations.insert(invitation, call.once(answer), entry);
        return answer;
      },
    }),
    userRoute({
      method: 'GET',
      path,
      operationId: 'listInvitations',
      tag,
      summary: 'List pending invitations',
      description:
        'Those that nobody has accepted and that have not ended, the most recent first, without their links.',
      query: PAGING,
      success: { status: 200, description: 'A page of them.', schema: listOf(InvitationSchema) },
      async handle(call) {
        const { teamId } = call.caller;
        const page = await store.invitations.list(teamId, clock.now(), pageRequest(call.query));
        return listAnswer(call, path, page, (item) => JSON.stringify(invitationView(item)));
      },
    }),
    userRoute({
      method: 'DELETE',
      path: `${path}/:id`,
      operationId: 'revokeInvitation',
      tag,
      summary: 'Revoke an invitation',
      description: "Only the team's owner may. Its link stops working at once.",
      success: { status: 204, description: 'Revoked.' },
      problems: ['not_found', 'not_team_owner'],
      async handle(call) {
        const { caller } = call;
        if (!caller.ownsTeam)
          throw new Problem('not_team_owner', "only the team's owner revokes invitations");
        const id = pathId(call);
        const { teamId } = caller;
        const entry = await audit.entry(caller, 'invitation.revoked', aboutInvitation(id, null));
        const there = await store.invitations.delete({ teamId, id }, entry);
        if (!there) throw notFound('the invitation');
        return noContent;
      },
    }),
    openRoute({
      method: 'POST',
      path: `${path}/preview`,
      operationId: 'previewInvitation',
      tag,
      summary: 'See what an invitation is to',
      description: 'Takes no token, and uses nothing up. Guessing is limited.',
      body: Type.Object({ code: Code }, { title: 'InvitationCode' }),
      example: { code: EXAMPLE_CODE },
      success: { status: 200, description: 'What it is to.', schema: OfferSchema },
      problems: ['invitation_invalid', 'rate_limited'],
      async handle({ body, ip }) {
        const { teamId, invitedBy, email, expiresAt } = await invitations.open(body.code, ip);
        const [team, host] = await Promise.all([
          store.teams.get(teamId),
          store.users.get(invitedBy),
        ]);
        if (!team) throw invalidInvitation();
        const invited_by = host?.name ?? null;
        return ok({ team: team.name, invited_by, email, expires_at: timestamp(expiresAt) });
      },
    }),
    openRoute({
      method: 'POST',
      path: `${path}/accept`,
      operationId: 'acceptInvitation',
      tag,
      summary: 'Accept an invitation',
      description:
        'Takes no token: makes a user of the team, who can then sign in. The link is used up by that, and by nothing else. Guessing is limited.',
      body: Acceptance,
      example: {
        code: EXAMPLE_CODE,
        email: 'ada@example.com',
        name: 'Ada Lovelace',
        password: 'correct horse battery staple',
      },
      success: { status: 201, description: 'The new user.', schema: UserSchema },
      problems: ['invitation_invalid', 'email_taken', 'rate_limited'],
      async handle({ body, ip }) {
        const invitation = await invitations.open(body.code, ip);
        const now = clock.now();
        const user: User = {
          id: await store.nextId(),
          teamId: invitation.teamId,
          name: body.name,
          email: normaliseEmail(body.email),
          password: await hashPassword(body.password),
          state: 'enable',
          createdAt: now,
          updatedAt: now,
        };
        const { id: userId, teamId, name } = user;
        const actor = { kind: 'user', userId, teamId, name } as const;
        const about = aboutInvitation(invitation.id, invitation.email);
        const joined = visible('email', null, user.email);
        const entry = await audit.entry(actor, 'invitation.accepted', about, joined);
        const isOpen = await store.invitations.accept(invitation, user, entry).catch(emailTaken);
        if (!isOpen) throw invalidInvitation();
        return created(`/1/users/${user.id}`, userView(user));
      },
    }),
  ];
}

/** By the address that it is meant for, where that is known. */
const aboutInvitation = (id: IdNumber, email: string | null): AuditSubject => ({
  type: 'invitation',
  id,
  name: email,
});
