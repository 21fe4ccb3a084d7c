import { VendorKeys } from '../../lib/crypto/vendor-keys.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { member, textMember } from '../../lib/json/json-member.ts';
import type { HookRequest, HookContext } from '../inbound.ts';

/*
 * Verifies Google's requests. https://developers.google.com/workspace/chat/verify-requests-from-chat
 * If the app's authentication audience is the project number, Chat signs the tokens itself. If it is the endpoint
 * URL, and for every Workspace add-on, Google issues ID tokens (OIDC) for that URL, whose `email` is that of Chat or
 * of the add-ons service agent of the app's project.
 */

/** The issuer of Chat's own tokens, and its keys. */
const CHAT = 'chat@system.gserviceaccount.com';
const CHAT_KEYS = `https://www.googleapis.com/service_accounts/v1/jwk/${CHAT}`;

/** The issuer of ID tokens, and its keys: https://accounts.google.com/.well-known/openid-configuration */
const GOOGLE = 'https://accounts.google.com';
const GOOGLE_KEYS = 'https://www.googleapis.com/oauth2/v3/certs';

const LIFETIME_SECONDS = 3600;

/** One key set per issuer. */
class IssuerKeys {
  readonly chat = new VendorKeys();
  readonly google = new VendorKeys();

  close(): void {
    this.chat.close();
    this.google.close();
  }
}

/** The problem with a request; undefined when it is Google's. `vendorUrl` is the default address of Chat. */
export async function faultOfChatRequest(
  { header, url: endpoint }: HookRequest,
  { credentials: { username: project }, url, fetch, clock, resource }: HookContext,
  vendorUrl: string | undefined,
): Promise<string | undefined> {
  if (!project) return 'the integration has no project number';
  const [, token] = /^Bearer ([\w.-]{1,8000})$/i.exec(header('authorization') ?? '') ?? [];
  if (token === undefined) return 'token missing';
  const keys = resource(() => new IssuerKeys());
  const expected = { now: clock.now(), maxAgeSeconds: LIFETIME_SECONDS };
  // A test server that replaces Google Chat replaces its keys too.
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
  const isFromChat =
    member(claims, 'email_verified') === true && emails.includes(textMember(claims, 'email') ?? '');
  return isFromChat ? undefined : 'the token is not from Google Chat';
}

/** The issuer stated by the token, not yet verified. */
function issuerIn(token: string): string | undefined {
  const [, payload = ''] = token.split('.');
  return textMember(jsonBody(Buffer.from(payload, 'base64url')), 'iss');
}
