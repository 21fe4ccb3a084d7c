import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { textMember } from '../../src/lib/json/json-member.ts';
import { SECRETS } from '../channels/meta/proof.ts';
import { createGate } from '../emulators/endpoint.ts';
import { TOKEN } from '../emulators/meta/graph.ts';
import { NUMBER_ID } from '../emulators/meta/whatsapp.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from '../emulators/server/http.ts';
import { receiveWebhook } from '../events/whatsapp-service.ts';
import { TestClock } from '../support/clock.ts';
import { fc } from '../support/fast-check.ts';
import { type DeliveryService, asTimePasses, openDelivery } from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';
import { payloadOf } from './whatsapp-reports.ts';

/* The order of messages to people whose addresses change. */

const FAULT: Reply = { status: 503, body: { error: { code: 131_016, message: 'unavailable' } } };

interface Person {
  id: number;
  addresses: { id: number; address: string }[];
}

const textOf = ({ json }: Request) => textMember(json, 'text', 'body') ?? '';
const addressOf = ({ json }: Request) => textMember(json, 'to') ?? textMember(json, 'recipient');

for (const engine of ENGINES) {
  describe(`the order of messages to a person (${engine})`, () => {
    const clock = new TestClock();
    /** Replies to the first requests with a text; all others succeed. */
    const replies = new Map<string, (Reply | Promise<Reply>)[]>();
    let sb: DeliveryService;
    before(async () => {
      const answer = (request: Request) =>
        replies.get(textOf(request))?.shift() ?? {
          status: 200,
          body: { messaging_product: 'whatsapp', messages: [{ id: `wamid.${Math.random()}` }] },
        };
      sb = await openDelivery<HttpPeer>(engine, {
        channel: 'whatsapp',
        open: () => openHttp(answer),
        credentials: { token: TOKEN, username: NUMBER_ID, ...SECRETS },
        clock,
      });
    });
    after(() => sb[Symbol.asyncDispose]());

    let people = 0;
    /** A contact with this many numbers, the first preferred. */
    const newPerson = async (count = 1) => {
      const digits = String(++people).padStart(4, '0');
      const numbers = Array.from({ length: 4 }, (_, i) => `16505${i}5${digits}`);
      const addresses = numbers
        .slice(0, count)
        .map((address, i) => ({ channel: 'whatsapp', address, preference: i + 1 }));
      const { body } = await sb.app.post('/1/contacts', { addresses });
      return { numbers, person: body as Person };
    };
    const send = async ({ id }: Person, text: string) => {
      const { body, status } = await sb.app.post('/1/message', {
        message: {
          '@context': 'https://www.w3.org/ns/activitystreams',
          type: 'Create',
          generator: { type: 'Service', name: 'whatsapp' },
          to: { type: 'Person', id: `contact:${id}` },
          object: { type: 'Note', content: text },
        },
      });
      assert.equal(status, 202, JSON.stringify(body));
      return body as { id: number; to: string; chosen_because: string };
    };
    const changeNumber = (from: string | undefined, to: string | undefined) =>
      receiveWebhook(
        sb,
        payloadOf({
          kind: 'system',
          from: { number: from ?? '', userId: `US.${from}` },
          to: { number: to ?? '', userId: `US.${to}` },
        }),
      );
    /** The attempts to send these texts, as text and address. */
    const seen = (...texts: string[]) =>
      sb.peer.seen.flatMap((request) => {
        const text = textOf(request);
        return texts.includes(text) ? [[text, addressOf(request)]] : [];
      });
    const whenSent = (id: number) =>
      asTimePasses(clock, 500, `message ${id} is sent`, async () => {
        const shown = await sb.show(id);
        return shown.state === 'sent' && shown;
      });
    const attempted = (text: string) =>
      until(`an attempt to send ${text}`, () => seen(text).length > 0);

    it('messages that wait for a former number go to the new one, before later ones', async () => {
      const { numbers, person } = await newPerson();
      const [a, b] = numbers;
      replies.set('1a', [FAULT]);
      const first = await send(person, '1a');
      await sb.waiting(first.id, 'retry');
      const second = await sb.send('1b', a ?? '');
      await changeNumber(a, b);
      const third = await send(person, '1c');
      assert.equal(third.to, b);
      await whenSent(third.id);
      assert.deepEqual(seen('1a', '1b', '1c'), [
        ['1a', a],
        ['1a', b],
        ['1b', b],
        ['1c', b],
      ]);
      const { body } = await sb.app.get(`/1/messages/${first.id}`);
      assert.deepEqual([body.to, body.chosen_because], [b, 'address_changed']);
      assert.equal((await sb.show(second)).to, b);
    });

    it('a message that is being sent to a former number holds up those to the new one', async () => {
      const { numbers, person } = await newPerson();
      const [a, b] = numbers;
      const answer = createGate();
      replies.set('2a', [answer.opened.then(() => FAULT)]);
      const first = await send(person, '2a');
      await attempted('2a');
      const second = await send(person, '2b');
      await changeNumber(a, b);
      const third = await send(person, '2c');
      for (const { id } of [second, third]) await sb.waiting(id, 'order');
      clock.advance(3_000);
      assert.deepEqual(seen('2b', '2c'), []);
      answer.open();
      await whenSent(third.id);
      // The retry goes to either number, depending on when it is due.
      assert.deepEqual(
        seen('2a', '2b', '2c').map(([text]) => text),
        ['2a', '2a', '2b', '2c'],
      );
      assert.deepEqual(seen('2b', '2c'), [
        ['2b', b],
        ['2c', b],
      ]);
      assert.equal((await sb.show(first.id)).state, 'sent');
    });

    it('messages follow a number that changes twice, and back', async () => {
      const { numbers, person } = await newPerson();
      const [a, b, c] = numbers;
      const answer = createGate();
      replies.set('3a', [answer.opened.then(() => FAULT)]);
      await send(person, '3a');
      await attempted('3a');
      await send(person, '3b');
      await changeNumber(a, b);
      await send(person, '3c');
      await changeNumber(b, c);
      await send(person, '3d');
      await changeNumber(c, b);
      const last = await send(person, '3e');
      answer.open();
      await whenSent(last.id);
      const all = seen('3a', '3b', '3c', '3d', '3e');
      assert.deepEqual(
        all.map(([text]) => text),
        ['3a', '3a', '3b', '3c', '3d', '3e'],
      );
      assert.deepEqual(new Set(all.slice(2).map(([, address]) => address)), new Set([b]));
    });

    it('another preferred address is used once nothing waits for the one before', async () => {
      const { numbers, person } = await newPerson(2);
      const [a, b] = numbers;
      const [, other] = person.addresses;
      replies.set('4a', [FAULT]);
      const first = await send(person, '4a');
      await sb.waiting(first.id, 'retry');
      await sb.app.put(`/1/contacts/${person.id}/addresses/${other?.id}`, { preference: 0 });
      const second = await send(person, '4b');
      assert.deepEqual([second.to, second.chosen_because], [a, 'order']);
      await whenSent(second.id);
      const third = await send(person, '4c');
      assert.equal(third.to, b);
      assert.deepEqual(
        seen('4a', '4b').map(([text]) => text),
        ['4a', '4a', '4b'],
      );
    });

    it('messages leave a disabled address before later ones are sent to another', async () => {
      const { numbers, person } = await newPerson(2);
      const [a, b] = numbers;
      const [own] = person.addresses;
      replies.set('5a', [FAULT]);
      const first = await send(person, '5a');
      await sb.waiting(first.id, 'retry');
      const direct = await sb.send('5x', a ?? '');
      await sb.app.put(`/1/contacts/${person.id}/addresses/${own?.id}`, { state: 'disabled' });
      const second = await send(person, '5b');
      assert.equal(second.to, b);
      await whenSent(second.id);
      await whenSent(direct);
      assert.deepEqual(seen('5a', '5b'), [
        ['5a', a],
        ['5a', b],
        ['5b', b],
      ]);
      assert.deepEqual(seen('5x'), [['5x', a]], 'the application wrote to the address itself');
    });

    it('a dry run moves nothing', async () => {
      const { numbers, person } = await newPerson(2);
      const [a] = numbers;
      const [own] = person.addresses;
      replies.set('6a', [FAULT]);
      const first = await send(person, '6a');
      await sb.waiting(first.id, 'retry');
      await sb.app.put(`/1/contacts/${person.id}/addresses/${own?.id}`, { state: 'disabled' });
      const { status } = await sb.app.post('/1/message?dry_run=true', {
        message: { ...(await sb.app.get(`/1/messages/${first.id}`)).body.message },
      });
      assert.equal(status, 200);
      assert.equal((await sb.show(first.id)).to, a);
    });

    it('a message that the person stopped at the former number does not leave at the new one', async () => {
      const { numbers, person } = await newPerson();
      const [a, b] = numbers;
      replies.set('7a', [FAULT]);
      const first = await send(person, '7a');
      await sb.waiting(first.id, 'retry');
      await sb.app.post('/1/consents', { family: 'whatsapp', address: `+${a}`, state: 'revoked' });
      await changeNumber(a, b);
      await asTimePasses(clock, 500, 'it is suppressed', async () => {
        return (await sb.show(first.id)).state === 'suppressed';
      });
      assert.deepEqual(seen('7a'), [['7a', a]]);
    });

    it('the order holds whenever numbers and user ids change', async () => {
      const step = fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom('send', 'send slowly', 'send in vain') },
        { weight: 3, arbitrary: fc.constantFrom('system', 'user_id_update', 'message') },
        { weight: 2, arbitrary: fc.constantFrom('answer', 'pass', 'prefer') },
      );
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
          const { numbers, person } = await newPerson();
          const name = `run ${++run} `;
          const texts: string[] = [];
          let [now, changes] = [0, 0];
          let gates: { open(): void }[] = [];
          let last: { id: number } | undefined;
          const number = () => numbers[now % numbers.length] ?? '';
          const userId = () => `US.${run}.${changes}`;
          for (const one of steps) {
            switch (one) {
              case 'send':
              case 'send slowly':
              case 'send in vain': {
                const text = `${name}${texts.length}`;
                const gate = createGate();
                if (one === 'send slowly') gates.push(gate);
                const slow = gate.opened.then(() => FAULT);
                if (one !== 'send') replies.set(text, [one === 'send slowly' ? slow : FAULT]);
                texts.push(text);
                last = await send(person, text);
                break;
              }
              case 'message': {
                const from = { number: number(), userId: userId() };
                await receiveWebhook(sb, payloadOf({ kind: one, from }));
                break;
              }
              case 'system':
              case 'user_id_update': {
                const from = { number: number(), userId: userId() };
                changes++;
                if (one === 'system') now++;
                const to = { number: number(), userId: userId() };
                await receiveWebhook(sb, payloadOf({ kind: one, from, to }));
                break;
              }
              case 'prefer': {
                const { body } = await sb.app.get(`/1/contacts/${person.id}`);
                const other = (body as Person).addresses.at(-1)?.id;
                const path = `/1/contacts/${person.id}/addresses/${other}`;
                await sb.app.put(path, { preference: changes % 2 });
                break;
              }
              case 'answer':
                for (const gate of gates) gate.open();
                gates = [];
                break;
              case 'pass':
                clock.advance(1_000);
            }
          }
          for (const gate of gates) gate.open();
          if (last) await whenSent(last.id);
          const order = seen(...texts).map(([text = '']) => text);
          assert.deepEqual([...new Set(order)], texts);
          // No attempt to send a message follows one to send a later message.
          assert.deepEqual(
            order,
            order.toSorted((a, b) => texts.indexOf(a) - texts.indexOf(b)),
          );
        }),
        { numRuns: 8 },
      );
    });
  });
}
