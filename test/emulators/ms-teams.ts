import { fakeKey, signedToken } from '../../src/sandbox/vendors/team/fake-key.ts';
import { APP, KEY_ID } from '../../src/sandbox/vendors/team/ms-teams-activities.ts';
import { teamsError } from '../../src/sandbox/vendors/team/ms-teams-content.ts';
import { PASSWORD, TENANT, msTeams } from '../../src/sandbox/vendors/team/ms-teams.ts';
import { type HttpPeer, type Reply, openHttp } from './server/http.ts';
import { IssuedTokens } from './server/issued-tokens.ts';
import { MemoryPhone } from './server/memory-phone.ts';

/* The simulator of Microsoft Teams, with the conversations that tests need, and tokens that can be revoked. */
export { APP, PASSWORD, TENANT, teamsError };

export const CONVERSATIONS = {
  channel: '19:0123456789abcdef@thread.tacv2',
  group: '19:fedcba9876543210@thread.v2',
  person: 'a:1qhNLqpUtmuI6U35gzjsJn7uRnCkW8NiZALHfN8AMxdbprS1uta2aT/+=',
  foreign: 'a:foreign',
  blocked: 'a:blocked',
} as const;

/** An existing message to edit, delete and reply to. */
export const EARLIER = '1700000000000';

/** A token as the Bot Connector sends it with an activity, or a forged one. */
export function connectorToken(claims: object, header: object = {}, key = fakeKey): string {
  return signedToken(claims, { kid: KEY_ID, ...header }, key);
}

export interface TeamsPeer extends HttpPeer {
  /** Revokes all issued tokens. */
  expire(): void;
}

export async function openTeams(): Promise<TeamsPeer> {
  const phone = new MemoryPhone(0, Date.now);
  phone.put(CONVERSATIONS.person, EARLIER, { text: 'before' });
  const [earlier] = phone.entries;
  const tokens = new IssuedTokens();
  const peer = await openHttp(async (request) => {
    const [, conversation] = /^\/v3\/conversations\/([^/]+)\//.exec(request.path) ?? [];
    const id = decodeURIComponent(conversation ?? '');
    // It is in every conversation.
    if (earlier) earlier.person = id.split(';messageid=')[0] ?? '';
    const reply = tokens.rename(await msTeams.respond(tokens.resolve(request), phone));
    return conversation === undefined || reply.status === 401 ? reply : (refusalOf(id) ?? reply);
  });
  return Object.assign(peer, { expire: () => tokens.expire() });
}

function refusalOf(conversation: string): Reply | undefined {
  const [base = ''] = conversation.split(';messageid=');
  if (base === CONVERSATIONS.foreign) return teamsError(403, 'BotNotInConversationRoster');
  if (base === CONVERSATIONS.blocked) return teamsError(403, 'ConversationBlockedByUser');
  const known: readonly string[] = Object.values(CONVERSATIONS);
  return known.includes(base) ? undefined : teamsError(404, 'ConversationNotFound');
}
