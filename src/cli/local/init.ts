import { FIRST_EMAIL, ensureFirstUser } from '../../setup.ts';
import { COMMAND, START } from '../command-name.ts';
import { print } from '../print.ts';
import { checkEmail } from './user.ts';
import { withStore } from './with-store.ts';

export async function init({ email = FIRST_EMAIL }: { email?: string }): Promise<void> {
  const address = checkEmail(email);
  await withStore(async (store) => {
    const { user, isNew } = await ensureFirstUser(store, address);
    if (!isNew) return print(`The store already exists; its first user is ${user.email}.`);
    print(`Created the store, the first team and its owner ${user.email}.`);
    print(`Next: ${START}, or for scripts: ${COMMAND} token`);
  });
}
