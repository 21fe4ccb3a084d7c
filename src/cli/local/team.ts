import { DisplayName } from '../../http/openapi/schemas.ts';
import { timestamp } from '../../model/timestamp.ts';
import { createTeam } from '../../setup.ts';
import { Conflict } from '../../store/faults.ts';
import { CliError } from '../exit.ts';
import { print, printTable } from '../print.ts';
import { checkText } from './check-text.ts';
import { checkEmail } from './user.ts';
import { withStore } from './with-store.ts';

export async function addTeam(name: string, options: { email: string }): Promise<void> {
  const email = checkEmail(options.email);
  checkText('the name', name, DisplayName);
  await withStore(async (store) => {
    const created = await createTeam(store, { name, email, password: null }).catch(
      (error: unknown) => {
        throw error instanceof Conflict ? new CliError(`${email} is already a user`) : error;
      },
    );
    print(
      `Created team ${created.team.id} (${name}) with its owner ${email}, user ${created.owner.id}.`,
    );
  });
}

export async function listTeams({ json = false }: { json?: boolean }): Promise<void> {
  await withStore(async (store) => {
    const teams = await store.teams.all();
    printTable(
      teams.map(({ id, name, ownerId, createdAt }) => ({
        id,
        name,
        owner: ownerId,
        created: timestamp(createdAt),
      })),
      json,
    );
  });
}
