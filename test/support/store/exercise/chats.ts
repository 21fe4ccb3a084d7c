import type { Store } from '../../../../src/store/store.ts';
import { NOW, type Subject } from './subject.ts';

/** Calls all methods for the web chat. */
export async function exerciseChats(store: Store, subject: Subject): Promise<void> {
  const { applicationId, integrationId } = subject;
  const { chats, chatFiles } = store;
  const place = { applicationId, integrationId };
  const where = { ...place, visitor: 'visitor' };
  await chats.addVisitor(where, NOW);
  await chats.addVisitor(where, NOW);
  await chats.put(where, { id: 'one', author: 'application', body: '{}' }, true, NOW);
  await chats.put(where, { id: 'two', author: 'visitor', replyTo: 'one', body: '{}' }, true, NOW);
  await chats.put(
    { ...place, visitor: 'new' },
    { id: 'one', author: 'visitor', body: '{}' },
    true,
    NOW,
  );
  await chats.change(where, 'one', '{"a":1}', NOW);
  await chats.after(where, 0, 20);
  await chats.before(where, 9, 20);
  await chats.get(where, 1);
  await chats.idsWithin(where, 0, 9);
  await chats.status(where);
  await chats.statuses([where, { ...place, visitor: 'new' }]);
  await chats.markUpTo(where, 'read', 1);
  await chats.type(where, NOW);

  const id = `file ${applicationId}`;
  const file = { name: 'a.txt', mediaType: 'text/plain', size: 1, bytes: Buffer.from('a') };
  await chatFiles.insert({ id, ...where, ...file, createdAt: NOW });
  await chatFiles.get(place, id);
  await chatFiles.list(where, [id]);
  await chatFiles.usage(where);
}
