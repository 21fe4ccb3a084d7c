import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import { listMember, member, textMember } from '../../src/lib/json/json-member.ts';
import { KEY, openCallr } from '../emulators/sms/callr.ts';
import { type DeliveryService, openDelivery } from '../support/service/delivery.ts';
import { feedOf } from '../support/service/feed.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const SECRET = 'fake-secret-of-our-choice';

/* Words such as STOP are answered once, on channels whose vendor does not answer itself. */
for (const engine of ENGINES) {
  describe(`answers to keywords (${engine})`, () => {
    let sb: DeliveryService;
    let hook: string;
    let number = 0;
    before(async () => {
      sb = await openDelivery(engine, {
        channel: 'callr',
        open: openCallr,
        credentials: { consumer_secret: KEY, refresh: SECRET },
      });
      const { body } = await sb.app.get(`/1/integrations/${sb.integrationId}/hook`);
      hook = new URL(body.url).pathname;
    });
    after(() => sb[Symbol.asyncDispose]());

    /** A person who writes; `written` is what reached their phone. */
    function person() {
      const address = `+3312345${String(++number).padStart(4, '0')}`;
      return {
        address,
        async write(text: string, hash = `SMS-${number}-${Math.random()}`) {
          const body = JSON.stringify({
            event_at: '2025-02-03T12:14:25.340Z',
            type: 'sms.mo',
            data: { hash, type: 'IN', from: address, to: '+33700000000', text },
          });
          const signature = createHmac('sha256', SECRET).update(body).digest('base64');
          const { status } = await fetch(`${sb.service.url}${hook}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'X-CALLR-HmacSignature': signature },
            body,
          });
          assert.equal(status, 200);
          return hash;
        },
        texts: () =>
          sb.peer.seen.flatMap(({ json }) => {
            const [, to, text] = listMember(json, 'params');
            const isSent = textMember(json, 'method') === 'sms.send' && to === address;
            return isSent && typeof text === 'string' ? [text] : [];
          }),
        /** Waits for that many texts. */
        async received(count: number): Promise<string[]> {
          return until(`${count} texts`, () => {
            const texts = this.texts();
            return texts.length >= count && texts;
          });
        },
        /** A message that arrives proves that nothing came before it: a lane keeps the order. */
        async marker(): Promise<void> {
          const { body } = await sb.app.post('/1/consents', {
            family: 'sms',
            address,
            state: 'granted',
          });
          assert.equal(body.state, 'granted');
          await sb.settled(await sb.send('marker', address));
        },
      };
    }

    it('STOP is confirmed once, although the consent is revoked', async () => {
      const ada = person();
      await ada.write('STOP');
      assert.equal((await ada.received(1)).length, 1);
      const stopped = await sb.app.get(
        `/1/consents?family=sms&address=${encodeURIComponent(ada.address)}`,
      );
      assert.deepEqual(
        stopped.body.data.map(({ scope, state }: Record<string, string>) => [scope, state]),
        [['all', 'revoked']],
      );
      const { body } = await sb.app.get('/1/messages?limit=1');
      const sent = await sb.settled(body.data[0].id);
      assert.deepEqual([sent.state, sent.to], ['sent', ada.address]);
    });

    it('a second STOP, and the same one again, are not confirmed again', async () => {
      const ada = person();
      const id = await ada.write('STOP');
      await ada.received(1);
      await ada.write('STOP', id);
      await ada.write('stop');
      await ada.marker();
      assert.equal(ada.texts().length, 2);
      assert.equal(ada.texts()[1], 'marker');
    });

    it('START is confirmed, and HELP answered each time without a change', async () => {
      const ada = person();
      await ada.write('HELP');
      await ada.received(1);
      await ada.write('Help');
      await ada.received(2);
      const query = `family=sms&address=${encodeURIComponent(ada.address)}`;
      assert.deepEqual((await sb.app.get(`/1/consents?${query}`)).body.data, []);
      await ada.write('STOP');
      await ada.received(3);
      await ada.write('START');
      const [first, second, stopped, started] = await ada.received(4);
      assert.equal(first, second);
      assert.equal(new Set([first, stopped, started]).size, 3);
    });

    it('the answer has the language of the word', async () => {
      const [english, german] = [person(), person()];
      await english.write('STOP');
      await german.write('Abmelden');
      const [one] = await english.received(1);
      const [other] = await german.received(1);
      assert.notEqual(one, other);
    });

    it('the application chooses the texts, and an empty one sends nothing', async () => {
      const policies = `/1/applications/${sb.applicationId}/policies`;
      const confirmation = { stop: 'Bye from Example Ltd.', start: '' };
      await sb.api.put(policies, { consent: { confirmation } });
      const ada = person();
      await ada.write('STOP');
      assert.deepEqual(await ada.received(1), ['Bye from Example Ltd.']);
      await ada.write('START');
      await ada.marker();
      assert.deepEqual(ada.texts().slice(1), ['marker']);
      await sb.api.put(policies, { consent: { confirmation: { stop: null, start: null } } });
    });

    it('arrival, consent and confirmation are one commit: all are there once the webhook is answered', async () => {
      const ada = person();
      await ada.write('STOP');
      const events = (await feedOf(sb.app)).filter(
        ({ type, data }) =>
          (type === 'message.received' && member(member(data, 'actor'), 'id') === ada.address) ||
          (type === 'consent.revoked' && member(data, 'address') === ada.address),
      );
      assert.deepEqual(
        events.map(({ type }) => type),
        ['message.received', 'consent.revoked'],
      );
      const { body } = await sb.app.get(`/1/messages?to=${encodeURIComponent(ada.address)}`);
      assert.equal(body.data.length, 1);
    });
  });
}
