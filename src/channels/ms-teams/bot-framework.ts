import type { VendorKeys } from '../../lib/crypto/vendor-keys.ts';
import type { Fetch } from '../../lib/http/fetch.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { textMember } from '../../lib/json/json-member.ts';

interface ConnectorCall {
  authorization: string | undefined;
  body: Buffer;
  /** The expected audience. */
  app: string;
  /** The server that publishes the keys. */
  login: string;
  now: number;
}

/**
 * Returns why a request is not from the Bot Connector, or undefined if it is.
 * https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication#connector-to-bot
 * The token does not cover the body, except for the reply address stated in it.
 */
export async function faultOfConnector(
  { authorization = '', body, app, login, now }: ConnectorCall,
  keys: VendorKeys,
  fetch: Fetch,
): Promise<string | undefined> {
  if (app === '') return 'the integration has no app ID';
  const [, token] = /^Bearer (\S+)$/i.exec(authorization) ?? [];
  if (token === undefined) return 'token missing';
  const expected = { issuer: 'https://api.botframework.com', audience: app, now };
  const claims = await keys.verify(token, expected, async () => {
    const found = await fetch(`${login}/v1/.well-known/openidconfiguration`);
    const address = URL.parse(textMember(found.json(), 'jwks_uri') ?? '');
    return address?.origin === URL.parse(login)?.origin ? fetch(address?.href ?? '') : found;
  });
  if (typeof claims === 'string') return claims;
  const service = textMember(claims, 'serviceurl') ?? textMember(claims, 'serviceUrl');
  const isSameService =
    service !== undefined && service === textMember(jsonBody(body), 'serviceUrl');
  return isSameService ? undefined : 'the token is for another service URL';
}
