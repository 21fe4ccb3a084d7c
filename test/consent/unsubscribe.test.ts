import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { PASSWORD, type SmtpPeer, USER, openSmtp } from '../emulators/mail/smtp.ts';
import { type DeliveryService, openDelivery } from '../support/service/delivery.ts';
import { eventsOf } from '../support/service/feed.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const PUBLIC_URL = 'https://switchboard.example';

/* https://www.rfc-editor.org/rfc/rfc8058 */
for (const engine of ENGINES) {
  describe(`unsubscribing from emails (${engine})`, () => {
    let sb: DeliveryService<SmtpPeer>;
    let number = 0;
    const open = (environment: Record<string, string>) =>
      openDelivery(engine, {
        channel: 'email',
        open: openSmtp,
        credentials: ({ url }) => ({ address: url, username: USER, token: PASSWORD }),
        environment,
      });
    before(async () => {
      sb = await open({ SWITCHBOARD_PUBLIC_URL: PUBLIC_URL });
    });
    after(() => sb[Symbol.asyncDispose]());

    const activity = (to: string) => ({
      '@context': 'https://www.w3.org/ns/activitystreams',
      type: 'Create',
      generator: { type: 'Service', id: 'email' },
      to: { type: 'Person', id: to },
      object: { type: 'Note', name: 'Offer', content: 'Half price.' },
    });

    async function send(to: string, category: string, service = sb) {
      const body = { message: activity(to), category };
      const reply = await service.app.post('/1/message', body);
      if (reply.status !== 202) return { code: reply.body.code };
      return until(`the email to ${to}`, () =>
        service.peer.seen.findLast((mail) => mail.to.includes(to)),
      );
    }

    async function marketing(to = `person-${++number}@example.com`) {
      const mail = await send(to, 'marketing');
      assert.ok('headers' in mail);
      const [, address = ''] = /^<(.+)>$/.exec(mail.headers['list-unsubscribe'] ?? '') ?? [];
      const url = new URL(address);
      assert.equal(url.origin, PUBLIC_URL);
      const page = `${sb.service.url}${url.pathname}`;
      return { to, mail, page };
    }

    const oneClick = (
      page: string,
      body: URLSearchParams | FormData = new URLSearchParams(ONE_CLICK),
    ) => fetch(page, { method: 'POST', body });
    const ONE_CLICK = { 'List-Unsubscribe': 'One-Click' };

    it('marketing emails have the headers of one-click unsubscribing, others do not', async () => {
      const { mail } = await marketing();
      assert.equal(mail.headers['list-unsubscribe-post'], 'List-Unsubscribe=One-Click');
      assert.match(mail.raw, /^List-Unsubscribe: <https:\/\/\S+>\r?$/m, 'on one line');
      const other = await send('desk@example.com', 'transactional');
      assert.ok('headers' in other);
      assert.equal(other.headers['list-unsubscribe'], undefined);
    });

    it('one click revokes the consent to marketing, with its proof, and to nothing else', async () => {
      const { to, page } = await marketing();
      const { status } = await oneClick(page);
      assert.equal(status, 200);
      assert.deepEqual(await send(to, 'marketing'), { code: 'recipient_suppressed' });
      assert.ok('headers' in (await send(to, 'transactional')));
      const { body } = await sb.app.get(`/1/consents?family=email&address=${to}`);
      const [consent] = body.data;
      assert.deepEqual(
        [consent.scope, consent.state, consent.source, consent.evidence],
        ['marketing', 'revoked', 'unsubscribe', 'List-Unsubscribe=One-Click'],
      );
      await eventsOf(sb.app, 'consent.revoked');
    });

    it('one click as multipart has the same proof', async () => {
      const { to, page } = await marketing();
      const form = new FormData();
      form.set('List-Unsubscribe', 'One-Click');
      assert.equal((await oneClick(page, form)).status, 200);
      const { body } = await sb.app.get(`/1/consents?family=email&address=${to}`);
      assert.equal(body.data[0].evidence, 'List-Unsubscribe=One-Click');
    });

    it('a repeated request changes nothing, as a form or as multipart', async () => {
      const { to, page } = await marketing();
      await oneClick(page);
      const form = new FormData();
      form.set('List-Unsubscribe', 'One-Click');
      assert.equal((await oneClick(page, form)).status, 200);
      const { body } = await sb.app.get(`/1/consents?family=email&address=${to}`);
      const { body: detail } = await sb.app.get(`/1/consents/${body.data[0].id}`);
      assert.equal(detail.history.length, 1);
    });

    it('opening the page changes nothing: link checkers open every link', async () => {
      const { to, page } = await marketing();
      const response = await fetch(page);
      const html = await response.text();
      assert.equal(response.status, 200);
      assert.match(html, /<form method="post">/);
      assert.ok(html.includes(to));
      assert.doesNotMatch(html, /<script/);
      const policy = response.headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'/);
      assert.match(policy, /form-action 'self'/);
      assert.match(policy, /frame-ancestors 'none'/);
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.deepEqual((await sb.app.get(`/1/consents?family=email&address=${to}`)).body.data, []);
    });

    it('an address with markup is shown as text', async () => {
      const { page } = await marketing(`you&me${++number}@example.com`);
      const html = await (await fetch(page)).text();
      assert.match(html, /you&amp;me/);
      assert.doesNotMatch(html, /you&me/);
    });

    it('a forged or altered link finds nothing', async () => {
      const { to, page } = await marketing();
      const token = page.split('/').at(-1) ?? '';
      const [text = '', ...rest] = token.split('.');
      const other = Buffer.from(text, 'base64url').toString().replace(/\d@/, 'x@');
      const forged = [
        `${Buffer.from(other).toString('base64url')}.${rest.join('.')}`,
        text,
        `${text}.`,
        `${token}x`,
        'x',
        `${'x'.repeat(10_000)}.y`,
      ];
      for (const each of forged) {
        const { status } = await oneClick(page.replace(token, each));
        assert.equal(status, 404, each.slice(0, 80));
      }
      assert.deepEqual((await sb.app.get(`/1/consents?family=email&address=${to}`)).body.data, []);
    });

    it('one network may not call without limit', async () => {
      const { page } = await marketing();
      const statuses = new Set<number>();
      for (let calls = 0; calls < 400 && !statuses.has(429); calls += 40) {
        const answers = await Promise.all(Array.from({ length: 40 }, () => fetch(`${page}x`)));
        for (const { status } of answers) statuses.add(status);
      }
      assert.deepEqual([...statuses].toSorted(), [404, 429]);
    });

    it('the dry run says whether the recipient accepts the message and how to unsubscribe', async () => {
      const dryRun = async (category: string, service = sb) => {
        const body = { message: activity('dry@example.com'), category };
        return (await service.app.post('/1/message?dry_run=true', body)).body;
      };
      const first = await dryRun('marketing');
      const address = { family: 'email', address: 'dry@example.com' };
      assert.deepEqual(first.consent, {
        ...address,
        allowed: true,
        because: null,
        unsubscribe: 'one_click',
      });
      assert.equal((await dryRun('transactional')).consent.unsubscribe, null);
      await sb.app.post('/1/consents', { ...address, state: 'revoked' });
      const stopped = await dryRun('marketing');
      assert.deepEqual(
        [stopped.ready, stopped.consent.allowed, stopped.consent.because, stopped.error.code],
        [false, false, 'revoked', 'recipient_suppressed'],
      );
      await using local = await open({});
      const { consent } = await dryRun('marketing', local);
      assert.equal(consent.unsubscribe, 'no_public_url');
      const mail = await send('far@example.com', 'marketing', local);
      assert.ok('headers' in mail);
      assert.equal(mail.headers['list-unsubscribe'], undefined);
    });
  });
}
