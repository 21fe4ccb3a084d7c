import type { Pool } from 'pg';

/**
 * What holds for every connection of ours. Tables grow faster than what the planner knows of them, and every
 * question here has an index to go by; and nothing may take for ever, or hold what others wait for.
 */
const SETTINGS = [
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'jit=off',
  'statement_timeout=30s',
  'idle_in_transaction_session_timeout=30s',
];

/*
 * One at a time: two that change the same row of this catalogue at once fail. The lock is one of a transaction,
 * as everything here must be behind a pooler.
 */
const LOCK = 'select pg_advisory_xact_lock(5838251203397462011)';
const ARE_SET = `
select exists (select 1 from pg_db_role_setting s
  join pg_database d on d.oid = s.setdatabase and d.datname = current_database()
  join pg_roles r on r.oid = s.setrole and r.rolname = session_user
  where s.setconfig @> $1::text[]) as found`;
/** A block takes no parameters; it reads this one. */
const GIVE = `select set_config('switchboard.settings', $1, true)`;
/** For the sessions to come; and for this one, which a pooler may go on using. */
const SET = `
do $$ declare setting text[]; begin
  for setting in select string_to_array(one, '=')
    from unnest(string_to_array(current_setting('switchboard.settings'), ' ')) as one
  loop
    execute format('alter role %I in database %I set %I = %L',
      session_user, current_database(), setting[1], setting[2]);
    perform set_config(setting[1], setting[2], false);
  end loop;
end $$`;

const FORBIDDEN = '42501';

/**
 * Has PostgreSQL set these for the user, in this database, at the start of each session. Said when connecting, as
 * startup parameters, they would be refused by a pooler; said later, they would hold for the one connection that
 * the pooler happened to give.
 */
export async function setForUser(pool: Pool): Promise<void> {
  if (await areSet(pool)) return;
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(LOCK);
    const { rows } = await client.query<{ found: boolean }>(ARE_SET, [SETTINGS]);
    if (!rows[0]?.found) {
      await client.query(GIVE, [SETTINGS.join(' ')]);
      await client.query(SET);
    }
    await client.query('commit');
  } catch (error) {
    // Slower, where statistics are missing, but right all the same; the doctor points it out.
    if (!(error instanceof Error && 'code' in error && error.code === FORBIDDEN)) throw error;
  } finally {
    // This session was begun without them; those that are begun from now on have them.
    client.release(true);
  }
}

export async function areSet(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>(ARE_SET, [SETTINGS]);
  return rows[0]?.found ?? false;
}
