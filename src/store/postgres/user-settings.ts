import type { Pool } from 'pg';

/**
 * Settings of all our connections. Tables grow faster than the planner's statistics, and every query has an index to
 * use, so sequential scans are discouraged; timeouts keep statements from running or holding locks forever.
 */
const SETTINGS = [
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'jit=off',
  'statement_timeout=30s',
  'idle_in_transaction_session_timeout=30s',
];

/*
 * One at a time, because concurrent changes to the same catalog row fail. The lock ends with the transaction, which
 * also works behind a pooler.
 */
const LOCK = 'select pg_advisory_xact_lock(5838251203397462011)';
const ARE_SET = `
select exists (select 1 from pg_db_role_setting s
  join pg_database d on d.oid = s.setdatabase and d.datname = current_database()
  join pg_roles r on r.oid = s.setrole and r.rolname = session_user
  where s.setconfig @> $1::text[]) as found`;
/** A DO block takes no parameters; it reads this setting. */
const PASS_TO_BLOCK = `select set_config('switchboard.settings', $1, true)`;
/** For future sessions, and for this one, which a pooler may keep using. */
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
 * Makes PostgreSQL apply the settings to every session of this user in this database. A pooler would refuse them as
 * startup parameters; and set on a connection, they would apply only to the one that the pooler happened to assign.
 */
export async function setForUser(pool: Pool): Promise<void> {
  if (await areSet(pool)) return;
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(LOCK);
    const { rows } = await client.query<{ found: boolean }>(ARE_SET, [SETTINGS]);
    if (!rows[0]?.found) {
      await client.query(PASS_TO_BLOCK, [SETTINGS.join(' ')]);
      await client.query(SET);
    }
    await client.query('commit');
  } catch (error) {
    // Without the permission the service still works, only slower while statistics are missing; the doctor reports
    // it.
    if (!(error instanceof Error && 'code' in error && error.code === FORBIDDEN)) throw error;
  } finally {
    // This session started without the settings; later ones have them.
    client.release(true);
  }
}

export async function areSet(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>(ARE_SET, [SETTINGS]);
  return rows[0]?.found ?? false;
}
