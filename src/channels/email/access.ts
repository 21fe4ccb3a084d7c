import { type Denial, type Grant, requestAccessToken } from '../../lib/crypto/token-request.ts';
import type { Fetch } from '../../lib/http/fetch.ts';

// https://developers.google.com/identity/protocols/oauth2/web-server#offline
const GOOGLE = 'https://oauth2.googleapis.com/token';
// https://learn.microsoft.com/exchange/client-developer/legacy-protocols/how-to-authenticate-an-imap-pop-smtp-application-by-using-oauth
const MICROSOFT = 'https://login.microsoftonline.com/common/oauth2/v2.0/token';

/** Requests an access token for a mailbox at that host. https://www.rfc-editor.org/rfc/rfc6749#section-6 */
export function renewAccess(
  host: string,
  client: { refresh: string; id: string; secret: string },
  fetch: Fetch,
): Promise<Grant | Denial> {
  const endpoint = /(?:^|\.)(?:office365|outlook)\.com$/i.test(host) ? MICROSOFT : GOOGLE;
  const grant = {
    grant_type: 'refresh_token',
    client_id: client.id,
    client_secret: client.secret,
    refresh_token: client.refresh,
  };
  return requestAccessToken(endpoint, grant, fetch);
}
