import assert from 'node:assert/strict';

import type { NewAddress, NewContact } from '../../../../src/model/people/contact.ts';
import { writeInstructions } from '../../../../src/model/sending/instructions.ts';
import { ContactRefusal } from '../../../../src/store/people/contact-refusal.ts';
import type { Store } from '../../../../src/store/store.ts';
import { BATCH, DATED, NOW, PAGE, type Subject } from './subject.ts';

/** Calls all methods for people. */
export async function exercisePeople(
  store: Store,
  { applicationId, integrationId }: Subject,
): Promise<void> {
  const { contacts, identities, merges } = store;
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
  assert.ok(!(made instanceof ContactRefusal));
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
  assert.ok(added && !(added instanceof ContactRefusal));
  await contacts.updateAddress(key, added.id, { preference: 1 });
  await identities.identify(
    applicationId,
    { addresses: [address('+15558675311')], name: 'Ada' },
    NOW,
  );
  await identities.setCreatesOnInbound(applicationId, true);
  await identities.createsOnInbound(applicationId);
  await identities.identify(
    applicationId,
    { addresses: [address('+15558675312')], name: 'Ada' },
    NOW,
  );
  await identities.setCreatesOnInbound(applicationId, false);
  const other = await contacts.create({ ...contact, externalId: null }, [address('+15558675314')]);
  assert.ok(!(other instanceof ContactRefusal));
  const pair = { ...key, otherId: other.id };
  await merges.merge(pair, NOW);
  await merges.list(applicationId, id);
  await merges.contactOf(applicationId, other.id);
  await merges.unmerge(pair, NOW);
  const both = [address('+15558675311'), address('+15558675314')];
  const former = [address('+15558675310')];
  await identities.identify(applicationId, { addresses: both, name: null, former }, NOW);
  await merges.merge(pair, NOW);
  await identities.identify(applicationId, { addresses: both, name: null, externalId: 'x' }, NOW);
  await contacts.removeAddress(key, added.id, NOW);
  await contacts.delete(key);
  await contacts.ofAddresses(applicationId, [address('+15558675310')]);

  await exerciseMoves(store, { applicationId, integrationId });

  const { personalData } = store;
  await personalData.outbox(applicationId, { at: 0, id: 0 }, BATCH);
  await personalData.waiting(applicationId, ['nobody'], {
    after: { at: 0, id: 0 },
    upTo: Date.now(),
    limit: BATCH,
  });
  await personalData.routes(applicationId, [1]);
  await personalData.reports(applicationId, [1]);
  const person = { applicationId, integrationId, recipient: 'recipient' };
  await personalData.chatFiles(person);
  await personalData.phone(person, { at: 0, id: 0 }, BATCH);
  const { contactImports } = store;
  const job = { applicationId, id: await store.nextId() };
  await contactImports.insert(job, NOW);
  await contactImports.discard(job);
  await contactImports.insert(job, NOW);
  const imported = [
    { externalId: 'grace', name: 'Grace' },
    { externalId: 'grace', name: 'Grace Hopper' },
  ].map((given, line) => ({ line, contact: given, addresses: [address('+15558675313')] }));
  for (const [number, row] of imported.entries()) {
    await contactImports.addBlock(job, number, [JSON.stringify(row)]);
  }
  await contactImports.addErrors(job, [{ line: 3, detail: 'is not JSON' }]);
  const counts = { total: 3, created: 0, updated: 0, unchanged: 0, failed: 1 };
  const progress = { blocks: 2, nextBlock: 0, node: null, finishedAt: null };
  await contactImports.start({ ...job, ...counts, ...progress, ...DATED, state: 'running' });
  await contactImports.countOpen(applicationId);
  await contactImports.claim('node', BATCH, NOW);
  await contactImports.runBatch(job, 'node', NOW);
  await contactImports.runBatch(job, 'node', NOW);
  await contactImports.get(applicationId, job.id);
  await contactImports.list(applicationId, PAGE);
  await contactImports.errors(job, 0, BATCH);
  await contactImports.cancel(job, NOW);
  await contactImports.removeAbandoned(NOW);

  await exerciseErasure(store, { applicationId, integrationId }, contact, address('+15558675314'));

  const { conversations } = store;
  await conversations.start(applicationId);
  const from = (await conversations.cursor(applicationId)) ?? 0;
  const place = { integrationId, recipient: 'recipient' };
  const received = [{ id: 1, at: NOW }];
  const last = { lastAt: NOW, lastEvent: 1, lastMessage: null };
  const change = { ...place, name: 'Ada', unread: 1, ...last, received };
  await conversations.apply(applicationId, { from, to: from + 1, count: 0 }, [change]);
  const { items } = await conversations.list(applicationId, PAGE);
  const [conversation] = items;
  assert.ok(conversation);
  await conversations.list(applicationId, { ...PAGE, startingAfter: conversation.id });
  await conversations.list(applicationId, { ...PAGE, endingBefore: conversation.id });
  await conversations.search(applicationId, 'a', 20);
  await conversations.get(applicationId, conversation.id);
  await conversations.at(applicationId, [place]);
  const before = { at: NOW + 1, id: 0 };
  await conversations.received(conversation, before, 20);
  await conversations.sent(conversation, before, 20);
  await conversations.markRead(applicationId, conversation.id);
  await store.events.getAll(applicationId, [1]);
}

/** Calls all methods that erase a person. */
async function exerciseErasure(
  store: Store,
  { applicationId, integrationId }: Pick<Subject, 'applicationId' | 'integrationId'>,
  contact: NewContact,
  address: NewAddress,
): Promise<void> {
  const erased = await store.contacts.create({ ...contact, externalId: 'erased' }, [address]);
  assert.ok(!(erased instanceof ContactRefusal));
  const { erasures, consentDigests, idempotency } = store;
  const change = {
    key: 'sms:+15558675314',
    scope: 'all',
    state: 'revoked',
    source: 'api',
  } as const;
  await store.consents.change([{ ...change, evidence: null, applicationId, at: NOW }]);
  await erasures.start({ applicationId, id: erased.id }, NOW);
  await erasures.get(applicationId, erased.id);
  await erasures.removeWaiting({ applicationId, id: erased.id }, [], NOW);
  await consentDigests.secret(applicationId);
  await consentDigests.ensureSecret(store.engine.db, applicationId);
  await consentDigests.redirect(store.engine.db, [{ applicationId, key: change.key }]);
  await consentDigests.find(applicationId, [change.key]);
  const here = async () => {
    const [erasure] = await erasures.open(BATCH);
    assert.ok(erasure);
    return erasure;
  };
  const first = { importId: 0, number: -1 };
  await erasures.removeImported(await here(), first, BATCH);
  await erasures.skip(await here(), { phase: 'messages' });
  await erasures.removeMessages(await here(), [], { phase: 'events' }, NOW);
  await erasures.removeEvents(await here(), [999_999], { phase: 'places' });
  const place = { integrationId, recipient: 'nobody', windowAddress: 'sms:nobody' };
  await erasures.removePlace(await here(), place, BATCH);
  await erasures.receivedKeys(applicationId, integrationId, '', BATCH);
  await erasures.removeReceivedKeys(await here(), integrationId, ['nothing']);
  await erasures.parts(applicationId, integrationId, '', BATCH);
  await erasures.removeParts(await here(), integrationId, ['nothing']);
  await erasures.removeImportErrors(await here(), first, () => false, BATCH);
  const after = { scope: '', key: '' };
  await idempotency.forgetPerson(applicationId, after, () => false, BATCH);
  await erasures.removeMentions(await here(), () => false, { phase: 'consents' });
  await erasures.removeConsents(await here(), BATCH);
  await erasures.finish(await here(), NOW);
  await erasures.forget(0, BATCH);
}

/** Messages that move to another address, with and without others that are being sent. */
async function exerciseMoves(
  store: Store,
  { applicationId, integrationId }: Pick<Subject, 'applicationId' | 'integrationId'>,
): Promise<void> {
  const { addressMoves } = store;
  const place = { applicationId, integrationId };
  const queue = async (recipient: string, instructions: string | null) => {
    const message = { ...place, recipient, instructions, activity: '{}', objectId: null } as const;
    const rest = { type: 'Create', expiresAt: null, createdAt: NOW } as const;
    await store.messages.accept([{ messages: [{ ...message, ...rest }] }]);
  };
  const contact = writeInstructions({ contact: { contactId: 7, because: 'preference' } });
  await queue('former', null);
  await queue('former', contact);
  await queue('new', null);
  await addressMoves.lanesOf(place, ['former', 'new'], () => Promise.resolve([7]));
  const key = { consentKey: 'sms:new', contactIds: null };
  await addressMoves.move({ ...place, former: 'former', recipient: 'new', ...key }, NOW);
  const only = { consentKey: null, contactIds: '[7]' };
  await addressMoves.move({ ...place, former: 'new', recipient: 'newer', ...only }, NOW);
  await addressMoves.run(NOW, BATCH);
}
