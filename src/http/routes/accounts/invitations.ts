import Type from 'typebox';

import { hashPassword } from '../../../lib/crypto/password.ts';
import { type User, normalizeEmail } from '../../../model/account.ts';
import { type AuditSubject, visible } from '../../../model/audit.ts';
import type { Id as IdNumber } from '../../../model/id.ts';
import { Problem } from '../../../model/problem.ts';
import { timestamp } from '../../../model/timestamp.ts';
import { invalidInvitation } from '../../auth/invitations.ts';
import {
  DisplayName,
  Email,
  Id,
  Password,
  Timestamp,
  listOf,
  nullable,
} from '../../openapi/schemas.ts';
import { PAGING, listAnswer, pageRequest } from '../../paging.ts';
import {
  type Route,
  created,
  noContent,
  notFound,
  ok,
  openRoute,
  pathId,
  userRoute,
} from '../../server/route.ts';
import type { Services } from '../../services.ts';
import { invitationView, userView } from '../../views/views.ts';
import { UserSchema, emailTaken } from './users.ts';

export const InvitationSchema = Type.Object(
  {
    id: Id,
    created_at: Timestamp,
    expires_at: Timestamp,
    email: nullable(Type.String({ description: 'Email address of the invited person, if given.' })),
    invited_by: Id,
  },
  { title: 'Invitation' },
);

export const NewInvitationSchema = Type.Object(
  {
    ...InvitationSchema.properties,
    code: Type.String({ description: 'The code that accepts the invitation. Shown only once.' }),
    url: Type.String({ description: 'Link to pass on.' }),
  },
  { title: 'NewInvitation' },
);

export const OfferSchema = Type.Object(
  {
    team: Type.String({ description: 'Name of the team.' }),
    invited_by: nullable(Type.String({ description: 'Name of the inviting user.' })),
    email: nullable(Type.String()),
    expires_at: Timestamp,
  },
  { title: 'InvitationOffer' },
);

const DEFAULT_DAYS = 7;

const Creation = Type.Object(
  {
    email: Type.Optional(nullable(Email)),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: DEFAULT_DAYS })),
  },
  { title: 'InvitationFields' },
);

const Code = Type.String({ minLength: 1, maxLength: 128, description: 'The code from the link.' });

const Acceptance = Type.Object(
  { code: Code, email: Email, name: DisplayName, password: Password },
  { title: 'InvitationAcceptance' },
);

const EXAMPLE_CODE = '1.not-a-secret';

const tag = 'Invitations';
const path = '/1/invitations';

export function invitationRoutes({ store, clock, invitations, audit }: Services): Route[] {
  return [
    userRoute({
      method: 'POST',
      path,
      operationId: 'createInvitation',
      tag,
      summary: 'Invite a person to the team',
      description:
        'Requires the team owner. Anyone with the link can join once, until it expires. The service sends nothing to `email`; the sign-up page suggests it.',
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
          throw new Problem('not_team_owner', 'only the team owner can invite people');
        const email = typeof body?.email === 'string' ? normalizeEmail(body.email) : null;
        const { invitation, code } = await invitations.create(
          caller,
          email,
          body?.days ?? DEFAULT_DAYS,
        );
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
      description: 'Neither accepted nor expired, newest first, without their links.',
      query: PAGING,
      success: {
        status: 200,
        description: 'A page of invitations.',
        schema: listOf(InvitationSchema),
      },
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
      description: 'Requires the team owner. The link stops working at once.',
      success: { status: 204, description: 'Revoked.' },
      problems: ['not_found', 'not_team_owner'],
      async handle(call) {
        const { caller } = call;
        if (!caller.ownsTeam)
          throw new Problem('not_team_owner', 'only the team owner can revoke invitations');
        const id = pathId(call);
        const { teamId } = caller;
        const entry = await audit.entry(caller, 'invitation.revoked', aboutInvitation(id, null));
        const isDeleted = await store.invitations.delete({ teamId, id }, entry);
        if (!isDeleted) throw notFound('the invitation');
        return noContent;
      },
    }),
    openRoute({
      method: 'POST',
      path: `${path}/preview`,
      operationId: 'previewInvitation',
      tag,
      summary: 'Get an invitation by its code',
      description: 'No token needed. The invitation stays usable. Guesses are rate limited.',
      body: Type.Object({ code: Code }, { title: 'InvitationCode' }),
      example: { code: EXAMPLE_CODE },
      success: { status: 200, description: 'The invitation.', schema: OfferSchema },
      problems: ['invitation_invalid', 'rate_limited'],
      async handle({ body, ip }) {
        const { teamId, invitedBy, email, expiresAt } = await invitations.open(body.code, ip);
        const [team, inviter] = await Promise.all([
          store.teams.get(teamId),
          store.users.get(invitedBy),
        ]);
        if (!team) throw invalidInvitation();
        const invited_by = inviter?.name ?? null;
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
        'No token needed. Creates a user of the team, who can then sign in, and uses the link up. Guesses are rate limited.',
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
          email: normalizeEmail(body.email),
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

/** Named by the email address, if known. */
const aboutInvitation = (id: IdNumber, email: string | null): AuditSubject => ({
  type: 'invitation',
  id,
  name: email,
});
