import { jsonBody } from '../../lib/json-body.ts';
import { member, textMember } from '../../lib/member.ts';
import { VendorKeys } from '../../lib/vendor-keys.ts';
import type { HookCall, HookContext } from '../inbound.ts';

/*
 * How Google proves that it calls. https://developers.google.com/workspace/chat/verify-requests-from-chat
 * An app whose authentication audience is the project number gets tokens that Chat signs itself. One whose audience is
 * the URL of the endpoint, and every app that is built as a Workspace add-on, gets ID tokens of Google (OIDC) for that
 * URL: their `email` is that of Chat, or that of the add-ons service agent of the app's own project.
 */

/** Who signs for Chat, and with which keys. */
const CHAT = 'chat@system.gserviceaccount.com';
const CHAT_KEYS = `https://www.googleapis.com/service_accounts/v1/jwk/${CHAT}`;

/** Who issues ID tokens, and with which keys: https://accounts.google.com/.well-known/openid-configuration */
const GOOGLE = 'https://accounts.google.com';
const GOOGLE_KEYS = 'https://www.googleapis.com/oauth2/v3/certs';

const LIFETIME_SECONDS = 3600;

/** One set of keys for each issuer. */
class IssuerKeys {
  readonly chat = new VendorKeys();
  readonly google = new VendorKeys();

  close(): void {
    this.chat.close();
    this.google.close();
  }
}

/** What is wrong with a call; undefined when it is Google's. `vendorUrl` is where Chat is by itself. */
export async function faultOfChatCall(
  { header, url: endpoint }: HookCall,
  { credentials: { username: project }, url, fetch, clock, keep }: HookContext,
  vendorUrl: string | undefined,
): Promise<string | undefined> {
  if (!project) return 'there is no project number to judge by';
  const [, token] = /^Bearer ([\w.-]{1,8000})$/i.exec(header('authorization') ?? '') ?? [];
  if (token === undefined) return 'there is no token';
  const keys = keep(() => new IssuerKeys());
  const expected = { now: clock.now(), lasts: LIFETIME_SECONDS };
  // Whoever stands in for Google Chat stands in for its keys too.
  const isVendor = url === vendorUrl;
  if (issuerIn(token) !== GOOGLE) {
    const ofChat = { ...expected, issuer: CHAT, audience: project };
    const claims = await keys.chat.verify(token, ofChat, () =>
      fetch(isVendor ? CHAT_KEYS : `${url}/jwk`),
    );
    return typeof claims === 'string' ? claims : undefined;
  }
  const ofGoogle = { ...expected, issuer: GOOGLE, audience: endpoint };
  const claims = await keys.google.verify(token, ofGoogle, () =>
    fetch(isVendor ? GOOGLE_KEYS : `${url}/certs`),
  );
  if (typeof claims === 'string') return claims;
  const emails = [CHAT, `service-${project}@gcp-sa-gsuiteaddons.iam.gserviceaccount.com`];
  const isTheirs =
    member(claims, 'email_verified') === true && emails.includes(textMember(claims, 'email') ?? '');
  return isTheirs ? undefined : 'the token is of another account than that of Google Chat';
}

/** Who it says has issued it, which nothing has proved yet. */
function issuerIn(token: string): string | undefined {
  const [, payload = ''] = token.split('.');
  return textMember(jsonBody(Buffer.from(payload, 'base64url')), 'iss');
}
