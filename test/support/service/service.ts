import { readConfig } from '../../../src/config.ts';
import { Tokens } from '../../../src/http/auth/tokens.ts';
import type { Clock } from '../../../src/lib/runtime/clock.ts';
import { systemClock } from '../../../src/lib/runtime/clock.ts';
import { type Log, createLog } from '../../../src/lib/telemetry/log.ts';
import type { Team, User } from '../../../src/model/account.ts';
import { type Service, startService } from '../../../src/service/service.ts';
import { createTeam, openStore } from '../../../src/setup.ts';
import { DatabaseClock } from '../../../src/store/database-clock.ts';
import type { EngineName } from '../../../src/store/schema.ts';
import type { Store } from '../../../src/store/store.ts';
import { TestClock } from '../clock.ts';
import { type TestDatabase, createDatabase } from '../store/databases.ts';
import { Client } from './client.ts';
import { type Rounds, watchRounds } from './nodes.ts';

/** A service in this process with its own database, a team and its owner. */
export interface TestService extends AsyncDisposable {
  url: string;
  service: Service;
  store: Store;
  rounds: Rounds;
  database: TestDatabase;
  /** Everything it has logged, at every level. */
  logs: string[];
  team: Team;
  owner: User;
  /** Calls as the team's owner. */
  api: Client;
  /** Calls with any token, or none. */
  as(token: string | undefined): Client;
  userToken(user: User): Promise<string>;
  applicationToken(applicationId: number, teamId?: number): Promise<string>;
  /** Another team, with a client that calls as its owner. */
  otherTeam(): Promise<{ team: Team; owner: User; api: Client }>;
  /** Creates an application; returns the response and a client with its token. */
  application(fields?: Record<string, unknown>): Promise<{ application: any; app: Client }>;
}

export interface TestServiceOptions {
  environment?: Record<string, string>;
  clock?: Clock;
  /** The machine's clock. The service corrects it by the database's clock, as when started from the command line. */
  machineClock?: Clock;
  database?: TestDatabase;
}

/** Long enough for most tests that advance the clock. */
const TOKEN_SECONDS = 7 * 24 * 60 * 60;

let teams = 0;

export async function startTestService(
  engine: EngineName,
  {
    environment = {},
    clock: ownClock,
    machineClock = systemClock,
    database: given,
  }: TestServiceOptions = {},
): Promise<TestService> {
  const database = given ?? (await createDatabase(engine, { migrated: true }));
  const config = readConfig({
    SWITCHBOARD_PORT: '0',
    // Most tests are about accepting messages, and have no channel to deliver to.
    SWITCHBOARD_ROLE: 'api',
    // Channel emulators listen on loopback.
    SWITCHBOARD_ALLOW_LOOPBACK: 'on',
    ...database.environment,
    ...environment,
  });
  const logs: string[] = [];
  const log: Log = await createLog({
    level: 'trace',
    pretty: false,
    destination: { write: (line) => void logs.push(line) },
  });
  const store = await openStore(config);
  const rounds = watchRounds(store);
  const clock = ownClock ?? (await DatabaseClock.open(store.engine, machineClock));
  const service = await startService(config, store, log, clock);
  const storeAnswers = () => store.engine.ping();
  if (clock instanceof TestClock) clock.stores.add(storeAnswers);
  const tokens = new Tokens(store, clock);
  const newTeam = () =>
    createTeam(
      store,
      { name: 'Team', email: `owner${++teams}@example.com`, password: null },
      clock,
    );
  const { team, owner } = await newTeam();

  const mint = async (kind: 'user' | 'application', id: number, teamId: number) => {
    const { key, token } = await tokens.mint(kind, id, teamId, 'minted', TOKEN_SECONDS);
    await store.keys.insert(key);
    return token;
  };
  const userToken = (user: User) => mint('user', user.id, user.teamId);
  const as = (token: string | undefined) => new Client(service.url, service.routes, token);
  const api = as(await userToken(owner));

  return {
    url: service.url,
    service,
    store,
    rounds,
    database,
    logs,
    team,
    owner,
    api,
    as,
    userToken,
    applicationToken: (id, teamId = team.id) => mint('application', id, teamId),
    async otherTeam() {
      const other = await newTeam();
      return { ...other, api: as(await userToken(other.owner)) };
    },
    async application(fields = {}) {
      const { body: application } = await api.post('/1/applications', {
        team_id: team.id,
        owner_id: owner.id,
        state: 'enable',
        ...fields,
      });
      return { application, app: as(await mint('application', application.id, team.id)) };
    },
    async [Symbol.asyncDispose]() {
      if (clock instanceof TestClock) clock.stores.delete(storeAnswers);
      await service.stop();
      if (!given) await database.dispose();
    },
  };
}
