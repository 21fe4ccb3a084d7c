import assert from 'node:assert/strict';

import { Taken } from '../../../../src/store/people/taken.ts';
import type { Store } from '../../../../src/store/store.ts';
import { BATCH, DATED, NOW, PAGE, type Subject } from './subject.ts';

/** Calls all methods for people. */
export async function exercisePeople(
  store: Store,
  { applicationId, integrationId }: Subject,
): Promise<void> {
  const { contacts } = store;
  const fields = { locale: null, timezone: null, fields: null };
  const contact = { applicationId, externalId: 'ada', name: 'Ada', ...fields, ...DATED };
  const address = (text: string) => ({
    family: 'sms',
    integrationId,
    address: text,
    label: null,
    preference: 100,
    state: 'active' as const,
    evidence: 'api' as const,
    createdAt: NOW,
  });
  const made = await contacts.create(contact, [address('+15558675310')]);
  assert.ok(!(made instanceof Taken));
  const { id } = made;
  const key = { applicationId, id };
  await contacts.get(applicationId, id);
  await contacts.byExternalId(applicationId, 'ada');
  await contacts.list(applicationId, PAGE);
  await contacts.search(applicationId, 'a', PAGE);
  await contacts.search(applicationId, 'a', { ...PAGE, startingAfter: id });
  await contacts.search(applicationId, 'a', { ...PAGE, endingBefore: id });
  await contacts.update(key, { name: 'Ada Lovelace', externalId: 'ada' }, NOW);
  const added = await contacts.addAddress(key, address('+15558675311'));
  assert.ok(added && !(added instanceof Taken));
  await contacts.updateAddress(key, added.id, { preference: 1 });
  await contacts.identify(
    applicationId,
    { addresses: [address('+15558675311')], name: 'Ada' },
    NOW,
  );
  await contacts.setCreatesOnInbound(applicationId, true);
  await contacts.createsOnInbound(applicationId);
  await contacts.identify(
    applicationId,
    { addresses: [address('+15558675312')], name: 'Ada' },
    NOW,
  );
  await contacts.setCreatesOnInbound(applicationId, false);
  await contacts.removeAddress(key, added.id, NOW);
  await contacts.delete(key);
  await contacts.ofAddresses(applicationId, [address('+15558675310')]);

  const { conversations } = store;
  await conversations.start(applicationId);
  const from = (await conversations.cursor(applicationId)) ?? 0;
  const place = { integrationId, recipient: 'recipient' };
  const received = [{ id: 1, at: NOW }];
  const change = { ...place, unread: 1, lastAt: NOW, lastEvent: 1, lastMessage: null, received };
  await conversations.apply(applicationId, { from, to: from + 1 }, [change]);
  const { items } = await conversations.list(applicationId, PAGE);
  const [conversation] = items;
  assert.ok(conversation);
  await conversations.list(applicationId, { ...PAGE, startingAfter: conversation.id });
  await conversations.list(applicationId, { ...PAGE, endingBefore: conversation.id });
  await conversations.get(applicationId, conversation.id);
  await conversations.at(applicationId, [place]);
  const before = { at: NOW + 1, id: 0 };
  await conversations.received(conversation, before, 20);
  await conversations.sent(conversation, before, 20);
  await conversations.markRead(applicationId, conversation.id);
  await conversations.forget(0, BATCH);
  await store.events.getAll(applicationId, [1]);
}
