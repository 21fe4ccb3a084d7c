import { type Unsubscriber, readUnsubscribeToken } from '../../compose/unsubscribe-token.ts';
import { networkOf } from '../../lib/net/client-network.ts';
import { Limiter } from '../../lib/runtime/limiter.ts';
import { Problem } from '../../model/problem.ts';
import { readConsentKey } from '../../model/sending/consent.ts';
import { escape } from '../pages/escape.ts';
import { plainPage } from '../pages/plain-page.ts';
import { type Answer, type Route, notFound, openRoute } from '../server/route.ts';
import type { Services } from '../services.ts';

/** Rate limit per client network. Mail providers unsubscribe many people from a few addresses. */
const REQUESTS_PER_SECOND = 20;
const REQUESTS_BURST = 100;
/** The largest form is `List-Unsubscribe=One-Click` as multipart/form-data. */
const MAX_BODY_BYTES = 4_096;

const tag = 'Consents';

/** The pages of the unsubscribe links in marketing emails. https://www.rfc-editor.org/rfc/rfc8058 */
export function unsubscribeRoutes({ store, clock, feed }: Services): Route[] {
  const limiter = new Limiter(REQUESTS_PER_SECOND, REQUESTS_BURST, () => clock.now());

  async function find(token: string, ip: string): Promise<Unsubscriber> {
    const wait = limiter.take(networkOf(ip));
    if (wait > 0) {
      const seconds = String(Math.ceil(wait / 1000));
      const headers = { 'retry-after': seconds };
      throw new Problem('rate_limited', `too many requests; wait ${seconds} s`, { headers });
    }
    const person = readUnsubscribeToken(store.signer, token);
    const application = person && (await store.applications.get(person.applicationId));
    if (!application) throw notFound('the page');
    return person;
  }

  return [
    openRoute({
      method: 'GET',
      path: '/unsubscribe/:token',
      operationId: 'getUnsubscribePage',
      tag,
      summary: 'Get the unsubscribe page',
      description:
        'The address is in the `List-Unsubscribe` header of marketing emails. The page changes nothing until the person confirms.',
      success: { status: 200, description: 'A page.', type: 'text/html' },
      problems: ['not_found', 'rate_limited'],
      async handle({ params, ip }) {
        const { key } = await find(params['token'] ?? '', ip);
        const address = escape(readConsentKey(key).address);
        return page(
          'Unsubscribe',
          `<p>Stop marketing messages to <strong>${address}</strong>?</p>
<form method="post"><button type="submit">Unsubscribe</button></form>`,
        );
      },
    }),
    openRoute({
      method: 'POST',
      path: '/unsubscribe/:token',
      operationId: 'confirmUnsubscribe',
      tag,
      summary: 'Unsubscribe',
      description:
        'Revokes the consent to marketing. Mail programs call it with `List-Unsubscribe=One-Click` (RFC 8058), the page without. Repeating it changes nothing.',
      raw: true,
      bodyLimit: MAX_BODY_BYTES,
      success: { status: 200, description: 'Unsubscribed.', type: 'text/html' },
      problems: ['not_found', 'rate_limited'],
      async handle({ params, ip, bytes }) {
        const { applicationId, key } = await find(params['token'] ?? '', ip);
        const existing = await store.consents.of(applicationId, key);
        const isRevoked = existing.some(
          ({ scope, state }) => scope === 'marketing' && state === 'revoked',
        );
        if (!isRevoked) {
          const evidence = isOneClick(bytes) ? ONE_CLICK : 'the page of the link';
          const change = { key, scope: 'marketing', state: 'revoked', evidence } as const;
          const at = clock.now();
          await store.consents.change([{ ...change, source: 'unsubscribe', applicationId, at }]);
          feed.changed(applicationId);
        }
        const address = escape(readConsentKey(key).address);
        return page(
          'Unsubscribed',
          `<p role="status"><strong>${address}</strong> gets no more marketing messages.</p>`,
        );
      },
    }),
  ];
}

const ONE_CLICK = 'List-Unsubscribe=One-Click';

/** Whether a mail program sent the form, in either encoding. The form of the page is empty. */
const isOneClick = (form: Buffer) =>
  form.includes('List-Unsubscribe') && form.includes('One-Click');

function page(title: string, main: string): Answer {
  const answer = plainPage(title, main, { hasForm: true });
  const headers = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex' };
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
