import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type World, openWorld, receiveWebhook } from '../events/whatsapp-service.ts';
import { fc } from '../support/fast-check.ts';
import { SECRET, identity, openChat } from '../support/service/chat.ts';
import { ENGINES } from '../support/store/databases.ts';
import { type Step, attestedIn, payloadOf } from './whatsapp-reports.ts';

/* What a contact gets back when it is unmerged: what it brought, and what vendors attested by its addresses since. */

interface Address {
  id: number;
  address: string;
  attested_by: number | null;
  signed_id: string | null;
}

interface Contact {
  id: number;
  name: string | null;
  addresses: Address[];
}

const textsOf = ({ addresses }: Contact) => addresses.map(({ address }) => address).toSorted();

for (const engine of ENGINES) {
  describe(`addresses that WhatsApp attested to a merged contact (${engine})`, () => {
    let sb: World;
    before(async () => {
      sb = await openWorld(engine);
      const path = `/1/applications/${sb.applicationId}/policies`;
      await sb.api.put(path, { contacts: { create_on_inbound: true } });
    });
    after(() => sb[Symbol.asyncDispose]());

    const receive = (step: Step) => receiveWebhook(sb, payloadOf(step));
    const create = async (body: Record<string, unknown>): Promise<Contact> =>
      (await sb.app.post('/1/contacts', body)).body;
    const get = async (id: number): Promise<Contact> =>
      (await sb.app.get(`/1/contacts/${id}`)).body;
    const ownerOf = async (address: string): Promise<Contact | undefined> => {
      const { body } = await sb.app.get(`/1/contacts?search=${encodeURIComponent(address)}`);
      return body.data.find((contact: Contact) => textsOf(contact).includes(address));
    };
    const pair = async (what: 'merge' | 'unmerge', id: number, otherId: number) => {
      const { status, body } = await sb.app.post(`/1/contacts/${id}/${what}`, {
        contact_id: otherId,
      });
      assert.equal(status, 200, JSON.stringify(body));
    };
    const whatsapp = (address: string) => ({ channel: 'whatsapp', address });

    let people = 0;
    const newPerson = () => {
      const digits = String(++people).padStart(4, '0');
      return {
        email: `person-${digits}@example.com`,
        numbers: [`1650557${digits}`, `1650558${digits}`] as const,
        userIds: [`US.7${digits}1`, `US.7${digits}2`] as const,
      };
    };
    /** A contact with a number, which is part of another one. */
    const makeMerged = async () => {
      const { email, numbers, userIds } = newPerson();
      const kept = await create({ addresses: [{ channel: 'email', address: email }] });
      const other = await create({ addresses: [whatsapp(numbers[0])] });
      await pair('merge', kept.id, other.id);
      return { email, numbers, userIds, kept, other };
    };

    it('addresses attested by those of the merged contact go back with it', async () => {
      const { email, numbers, userIds, kept, other } = await makeMerged();
      const [first, second] = [
        { number: numbers[0], userId: userIds[0] },
        { number: numbers[1], userId: userIds[1] },
      ];
      await receive({ kind: 'message', from: first });
      // The new number is attested by an address that was attested itself.
      await receive({ kind: 'message', from: { userId: userIds[0] } });
      await receive({ kind: 'system', from: { userId: userIds[0] }, to: second });
      const { addresses } = await get(kept.id);
      const idOf = (text: string) => addresses.find(({ address }) => address === text)?.id;
      const attestedBy = (text: string) =>
        addresses.find(({ address }) => address === text)?.attested_by;
      assert.equal(attestedBy(email), null);
      assert.equal(attestedBy(userIds[0]), idOf(`+${numbers[0]}`));
      assert.equal(attestedBy(userIds[1]), idOf(userIds[0]));
      await pair('unmerge', kept.id, other.id);
      assert.deepEqual(textsOf(await get(kept.id)), [email]);
      assert.deepEqual(
        textsOf(await get(other.id)),
        [`+${numbers[0]}`, `+${numbers[1]}`, ...userIds].toSorted(),
      );
      assert.equal((await ownerOf(userIds[1]))?.id, other.id, 'found by the address');
    });

    it('addresses attested by those of the contact that stays, stay', async () => {
      const { numbers, userIds } = newPerson();
      const { kept, other } = await makeMerged();
      const path = `/1/contacts/${kept.id}/addresses`;
      assert.equal((await sb.app.post(path, whatsapp(numbers[0]))).status, 201);
      await receive({ kind: 'message', from: { number: numbers[0], userId: userIds[0] } });
      await pair('unmerge', kept.id, other.id);
      assert.equal((await ownerOf(userIds[0]))?.id, kept.id);
      assert.equal(textsOf(await get(other.id)).length, 1);
    });

    it('an address goes back although the one that attested it was removed', async () => {
      for (const removed of ['number', 'user id'] as const) {
        const { numbers, userIds, kept, other } = await makeMerged();
        await receive({ kind: 'message', from: { number: numbers[0], userId: userIds[0] } });
        const to = { number: numbers[1], userId: userIds[1] };
        await receive({ kind: 'user_id_update', from: { userId: userIds[0] }, to });
        const text = removed === 'number' ? `+${numbers[0]}` : userIds[0];
        const { addresses } = await get(kept.id);
        const id = addresses.find(({ address }) => address === text)?.id;
        assert.equal((await sb.app.delete(`/1/contacts/${kept.id}/addresses/${id}`)).status, 204);
        await pair('unmerge', kept.id, other.id);
        assert.equal((await ownerOf(userIds[1]))?.id, other.id, removed);
      }
    });

    it('a contact that a vendor merged by an address goes back with that address', async () => {
      const { numbers, userIds, kept, other } = await makeMerged();
      await receive({ kind: 'message', from: { userId: userIds[0] } });
      const wrote = await ownerOf(userIds[0]);
      assert.ok(wrote);
      await sb.app.put(`/1/contacts/${wrote.id}`, { name: 'Ada' });
      await receive({ kind: 'message', from: { number: numbers[0], userId: userIds[0] } });
      assert.equal((await get(kept.id)).name, 'Ada');
      await pair('unmerge', kept.id, other.id);
      const [one, two] = [await get(kept.id), await get(other.id)];
      assert.deepEqual([one.name, two.name], [null, 'Ada']);
      assert.deepEqual(textsOf(two), [`+${numbers[0]}`, userIds[0]].toSorted());
      const { body } = await sb.app.get(`/1/contacts/${other.id}/merges`);
      assert.deepEqual(
        body.data.map(({ contact_id: id }: { contact_id: number }) => id),
        [wrote.id],
      );
      await pair('unmerge', other.id, wrote.id);
      assert.deepEqual(textsOf(await get(wrote.id)), [userIds[0]]);
      assert.equal((await get(other.id)).name, null);
    });

    it('unmerging gives each person exactly the attested addresses, in any order of reports', async () => {
      const stepsOf = ({ numbers, userIds }: ReturnType<typeof newPerson>): Step[] => {
        const [first, second] = [
          { number: numbers[0], userId: userIds[0] },
          { number: numbers[1], userId: userIds[1] },
        ];
        return [
          { kind: 'message', from: first },
          { kind: 'message', from: { userId: second.userId } },
          { kind: 'message', from: { number: second.number } },
          { kind: 'message', from: { number: first.number, userId: second.userId } },
          { kind: 'system', from: first, to: second },
          { kind: 'user_id_update', from: { userId: first.userId }, to: second },
        ];
      };
      const choices = fc.array(fc.tuple(fc.nat(1), fc.nat(5)), { maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(choices, choices, fc.nat(1), async (earlier, later, stays) => {
          const persons = [newPerson(), newPerson()];
          const steps = persons.map(stepsOf);
          const groups = new Map<string, Set<string>>();
          const report = async (step: Step | undefined) => {
            assert.ok(step);
            await receive(step);
            const named = attestedIn(step);
            const all = named.reduce(
              (joined, one) => joined.union(groups.get(one) ?? new Set<string>()),
              new Set(named),
            );
            for (const one of all) groups.set(one, all);
          };
          for (const { numbers } of persons) {
            await report({ kind: 'message', from: { number: numbers[0] } });
          }
          for (const [who, which] of earlier) await report(steps[who]?.[which]);
          const owners = await Promise.all(
            persons.map(async ({ numbers }) => (await ownerOf(`+${numbers[0]}`))?.id ?? 0),
          );
          const [id = 0, otherId = 0] = stays === 0 ? owners : owners.toReversed();
          // It stays whatever vendors report.
          await sb.app.put(`/1/contacts/${id}`, { external_id: `stays-${id}` });
          await pair('merge', id, otherId);
          for (const [who, which] of later) await report(steps[who]?.[which]);
          await pair('unmerge', id, otherId);
          for (const [address, group] of groups) {
            const owner = await ownerOf(address);
            assert.deepEqual(owner && textsOf(owner), [...group].toSorted(), address);
          }
        }),
        { numRuns: 12 },
      );
    });
  });
}

for (const engine of ENGINES) {
  it(`a signed visitor goes back to the contact with that external id (${engine})`, async () => {
    await using chat = await openChat(engine, { secret: SECRET });
    const { app } = chat;
    const { body: ada } = await app.post('/1/contacts', { external_id: 'user-7' });
    const { body: kept } = await app.post('/1/contacts', { name: 'Grace' });
    const path = `/1/contacts/${kept.id}`;
    await app.post(`${path}/merge`, { contact_id: ada.id });
    const guest = await chat.visit({ identity: identity({ sub: 'user-7' }) });
    await guest.say('It is me');
    const [address] = (await app.get(path)).body.addresses;
    assert.deepEqual([address.address, address.signed_id], ['user-7', 'user-7']);
    assert.equal((await app.post(`${path}/unmerge`, { contact_id: ada.id })).status, 200);
    const { body: back } = await app.get(`/1/contacts/${ada.id}`);
    assert.deepEqual([back.external_id, textsOf(back)], ['user-7', ['user-7']]);
    assert.deepEqual((await app.get(path)).body.addresses, []);
  });
}
