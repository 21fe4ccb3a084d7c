import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';

import { type World, openWorld, receiveWebhook } from '../events/whatsapp-service.ts';
import { fc } from '../support/fast-check.ts';
import { feedOf } from '../support/service/feed.ts';
import { ENGINES } from '../support/store/databases.ts';
import { type Step, attestedIn, payloadOf } from './whatsapp-reports.ts';

/* Contacts of people whose addresses WhatsApp reports. */

interface Contact {
  id: number;
  addresses: { address: string; state: string; evidence: string }[];
}

for (const engine of ENGINES) {
  describe(`people with several addresses (${engine})`, () => {
    let sb: World;
    before(async () => {
      sb = await openWorld(engine);
      const path = `/1/applications/${sb.applicationId}/policies`;
      await sb.api.put(path, { contacts: { create_on_inbound: true } });
    });
    after(() => sb[Symbol.asyncDispose]());

    const ownerOf = async (address: string): Promise<Contact | undefined> => {
      const { body } = await sb.app.get(`/1/contacts?search=${encodeURIComponent(address)}`);
      return body.data.find(({ addresses }: Contact) =>
        addresses.some((one) => one.address === address),
      );
    };
    const receive = (step: Step) => receiveWebhook(sb, payloadOf(step));
    const create = async (body: Record<string, unknown>): Promise<Contact> =>
      (await sb.app.post('/1/contacts', body)).body;
    const whatsapp = (address: string) => ({ channel: 'whatsapp', address });
    const last = async () => (await sb.app.get('/1/events?order=desc&limit=1')).body.data[0]?.id;
    const about = async (since: number, id: number) =>
      (await feedOf(sb.app, since)).filter(({ type, data }) => {
        const isAboutContacts = type.startsWith('contact.') && type !== 'contact.changed';
        return isAboutContacts && [data.contact_id, data.other_contact_id].includes(id);
      });

    let person = 0;
    /** A person's first and second number and user id. */
    const newPerson = () => {
      person++;
      const digits = String(person).padStart(5, '0');
      return {
        numbers: [`165055${digits.slice(1)}1`, `165056${digits.slice(1)}2`] as const,
        userIds: [`US.${digits}1`, `US.${digits}2`] as const,
      };
    };

    it('each person is one contact with exactly the attested addresses, in any order of reports', async () => {
      const stepsOf = ({ numbers, userIds }: ReturnType<typeof newPerson>): Step[] => {
        const [first, second] = [
          { number: numbers[0], userId: userIds[0] },
          { number: numbers[1], userId: userIds[1] },
        ];
        return [
          { kind: 'message', from: { number: first.number } },
          { kind: 'message', from: { userId: first.userId } },
          { kind: 'message', from: first },
          { kind: 'message', from: { number: second.number } },
          { kind: 'message', from: { userId: second.userId } },
          { kind: 'message', from: second },
          { kind: 'system', from: first, to: second },
          { kind: 'user_id_update', from: { userId: first.userId }, to: second },
          {
            kind: 'user_id_update',
            from: { userId: first.userId },
            to: { number: first.number, userId: second.userId },
          },
        ];
      };
      const choices = fc.array(fc.tuple(fc.nat(1), fc.nat(8)), { minLength: 1, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(choices, async (chosen) => {
          const people = [stepsOf(newPerson()), stepsOf(newPerson())];
          const steps = chosen.flatMap(([who, which]) => people[who]?.[which] ?? []);
          const groups = new Map<string, Set<string>>();
          for (const step of steps) {
            await receive(step);
            const addresses = attestedIn(step);
            const joined = addresses.reduce(
              (all, one) => all.union(groups.get(one) ?? new Set<string>()),
              new Set(addresses),
            );
            for (const one of joined) groups.set(one, joined);
          }
          for (const [address, group] of groups) {
            const owner = await ownerOf(address);
            const own = owner?.addresses.map((one) => one.address).toSorted();
            assert.deepEqual(own, [...group].toSorted(), JSON.stringify(steps));
          }
        }),
        { numRuns: 12 },
      );
    });

    it('a new number replaces the old one', async () => {
      const { numbers, userIds } = newPerson();
      await receive({ kind: 'message', from: { number: numbers[0], userId: userIds[0] } });
      const first = await ownerOf(`+${numbers[0]}`);
      await receive({
        kind: 'system',
        from: { number: numbers[0], userId: userIds[0] },
        to: { number: numbers[1], userId: userIds[1] },
      });
      const now = await ownerOf(`+${numbers[1]}`);
      assert.equal(now?.id, first?.id);
      const states = new Map(now?.addresses.map((one) => [one.address, one.state]));
      assert.deepEqual(
        [`+${numbers[0]}`, userIds[0], `+${numbers[1]}`, userIds[1]].map((one) => states.get(one)),
        ['disabled', 'disabled', 'active', 'active'],
      );
      const { body } = await sb.app.post('/1/message?dry_run=true', {
        message: {
          '@context': 'https://www.w3.org/ns/activitystreams',
          type: 'Create',
          generator: { type: 'Service', name: 'whatsapp' },
          to: { type: 'Person', id: `contact:${now?.id}` },
          object: { type: 'Note', content: 'Hello' },
        },
      });
      assert.equal(body.to, numbers[1]);
    });

    it('a new user id replaces the old one, and the number stays', async () => {
      const { numbers, userIds } = newPerson();
      await receive({ kind: 'message', from: { number: numbers[0], userId: userIds[0] } });
      const to = { number: numbers[0], userId: userIds[1] };
      await receive({ kind: 'user_id_update', from: { userId: userIds[0] }, to });
      const { addresses = [] } = (await ownerOf(`+${numbers[0]}`)) ?? {};
      const states = new Map(addresses.map((one) => [one.address, one.state]));
      assert.deepEqual(
        [`+${numbers[0]}`, userIds[0], userIds[1]].map((one) => states.get(one)),
        ['active', 'disabled', 'active'],
      );
    });

    it('two contacts become one if at most one has an external id', async () => {
      const { numbers, userIds } = newPerson();
      const named = await create({
        external_id: `customer-${numbers[0]}`,
        addresses: [whatsapp(userIds[0])],
      });
      await receive({ kind: 'message', from: { number: numbers[0] } });
      const wrote = await ownerOf(`+${numbers[0]}`);
      assert.ok(wrote && wrote.id !== named.id);
      const since = await last();
      for (let i = 0; i < 2; i++) {
        await receive({ kind: 'message', from: { number: numbers[0], userId: userIds[0] } });
      }
      assert.equal((await ownerOf(`+${numbers[0]}`))?.id, named.id);
      const events = await about(since, named.id);
      assert.deepEqual(
        events.map(({ type, data }) => [type, data.other_contact_id, data.evidence]),
        [['contact.merged', wrote.id, 'vendor']],
      );
    });

    it('contacts with two external ids, or taken apart, stay apart, and are reported once', async () => {
      const { numbers, userIds } = newPerson();
      const one = await create({
        external_id: `one-${numbers[0]}`,
        addresses: [whatsapp(numbers[0])],
      });
      const other = await create({
        external_id: `two-${numbers[0]}`,
        addresses: [whatsapp(userIds[0])],
      });
      const since = await last();
      const both = { kind: 'message', from: { number: numbers[0], userId: userIds[0] } } as const;
      for (let i = 0; i < 2; i++) await receive(both);
      const types = async () => (await about(since, one.id)).map(({ type }) => type);
      assert.deepEqual(await types(), ['contact.conflict']);
      await sb.app.put(`/1/contacts/${other.id}`, { external_id: null });
      const pair = { contact_id: other.id };
      assert.equal((await sb.app.post(`/1/contacts/${one.id}/merge`, pair)).status, 200);
      await receive(both);
      assert.equal((await sb.app.post(`/1/contacts/${one.id}/unmerge`, pair)).status, 200);
      for (let i = 0; i < 2; i++) await receive(both);
      assert.deepEqual(await types(), [
        'contact.conflict',
        'contact.merged',
        'contact.unmerged',
        'contact.conflict',
      ]);
      assert.equal((await ownerOf(userIds[0]))?.id, other.id);
      assert.equal((await ownerOf(`+${numbers[0]}`))?.id, one.id);
    });

    it('a contact that was taken out stays apart after the other became part of a third', async () => {
      const { numbers, userIds } = newPerson();
      await receive({ kind: 'message', from: { userId: userIds[0] } });
      const third = await ownerOf(userIds[0]);
      const one = await create({ addresses: [whatsapp(numbers[0])] });
      const other = await create({ addresses: [whatsapp(numbers[1])] });
      const pair = { contact_id: other.id };
      for (const what of ['merge', 'unmerge']) {
        const { status } = await sb.app.post(`/1/contacts/${one.id}/${what}`, pair);
        assert.equal(status, 200);
      }
      await receive({ kind: 'message', from: { number: numbers[0], userId: userIds[0] } });
      assert.equal((await ownerOf(`+${numbers[0]}`))?.id, third?.id);
      const since = await last();
      for (let i = 0; i < 2; i++) {
        await receive({ kind: 'message', from: { number: numbers[1], userId: userIds[0] } });
      }
      assert.equal((await ownerOf(`+${numbers[1]}`))?.id, other.id);
      const types = (await about(since, other.id)).map(({ type }) => type);
      assert.deepEqual(types, ['contact.conflict']);
    });

    it('a report without the signature of the vendor links nothing', async () => {
      const { numbers, userIds } = newPerson();
      const one = await create({ addresses: [whatsapp(numbers[0])] });
      const other = await create({ addresses: [whatsapp(userIds[0])] });
      const { url } = (await sb.app.get(`/1/integrations/${sb.integrationId}/hook`)).body;
      const from = { number: numbers[0], userId: userIds[0] };
      const body = JSON.stringify(payloadOf({ kind: 'message', from }));
      const forged = createHmac('sha256', 'a secret of somebody else').update(body).digest('hex');
      for (const signature of [undefined, 'sha256=', `sha256=${forged}`]) {
        const headers = signature === undefined ? {} : { 'x-hub-signature-256': signature };
        assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 401);
      }
      assert.equal((await ownerOf(`+${numbers[0]}`))?.id, one.id);
      assert.equal((await ownerOf(userIds[0]))?.id, other.id);
    });
  });
}
