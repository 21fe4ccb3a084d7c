import { batched } from './batch.js';

/*
 * The record of a gateway that can report the result of a message: its state, and the vendor's response. Written in bulk,
 * like the jobs. Failed attempts are not recorded, which is in its favor.
 */

const TABLES = `
create table messages (id bigint generated always as identity primary key, recipient text not null, state text not null,
  activity jsonb not null, created_at timestamptz not null default now(), updated_at timestamptz not null default now());
create index on messages (created_at, id);
create index on messages (recipient, created_at, id);
create table attempts (message_id bigint not null, number int not null, started_at timestamptz not null, took int not null,
  status int not null, answer text not null, primary key (message_id, number));`;

const ACCEPT = `insert into messages (recipient, state, activity)
  select recipient, 'queued', activity from unnest($1::text[], $2::jsonb[]) as m (recipient, activity) returning id`;

const SENT = `with sent as (
    select * from unnest($1::bigint[], $2::float8[], $3::int[], $4::int[], $5::text[])
      as s (id, started, took, status, answer)
  ), changed as (
    update messages m set state = 'sent', updated_at = now() from sent s where m.id = s.id
  )
  insert into attempts (message_id, number, started_at, took, status, answer)
  select id, 1, to_timestamp(started / 1000), took, status, answer from sent`;

export async function openRecord(pool) {
  await pool.query(TABLES);
  return {
    async accepted(messages) {
      const { rows } = await pool.query({
        name: 'accept',
        text: ACCEPT,
        values: [
          messages.map(({ to }) => to.id),
          messages.map((message) => JSON.stringify(message)),
        ],
      });
      return rows.map(({ id }) => Number(id));
    },
    sent: batched(async (attempts) => {
      const column = (name) => attempts.map((one) => one[name]);
      const columns = ['id', 'started', 'took', 'status', 'answer'].map(column);
      await pool.query({ name: 'sent', text: SENT, values: columns });
      return attempts;
    }),
  };
}
