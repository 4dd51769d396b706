-- The samples about the outbox: pending and dead rows by kind, and the age of the oldest due row.
create or replace function messaging.outbox_samples(clock timestamptz)
returns table (name text, labels jsonb, value numeric)
language sql
stable
set search_path = ''
set enable_seqscan = off
as $$
  with open_rows as materialized (
    select o.kind, o.status, o.run_at from messaging.outbox o where o.settled_at is null
    union all
    select o.kind, o.status, null from messaging.outbox o where o.status = 'dead'
  )
  select 'messaging_outbox_rows', jsonb_build_object('kind', k.kind, 'status', s.status),
    (select count(*) from open_rows r where r.kind = k.kind and r.status = s.status)
  from (values ('assignment_email'), ('endpoint_disabled_email'), ('instance_disconnected_email'), ('instance_held_email'), ('batch_paused_email'), ('budget_email'), ('agent_reply')) as k(kind)
  cross join (values ('pending'), ('dead')) as s(status)
  union all
  select 'messaging_oldest_due_seconds', '{"kind": "outbox"}'::jsonb,
    coalesce(extract(epoch from clock - min(r.run_at)), 0)
  from open_rows r
  where r.run_at <= clock;
$$;
