set local check_function_bodies = off;

-- purge_expired: deletes the recipients of batches that ended, or were made and never started, longer ago
-- than their instance keeps messages, at most `max_rows`, and a batch with the last of them. What a list
-- holds are words to people as well.
-- Returns how many. Waits for no lock. Plans: see purge_expired.
create or replace function messaging.purge_batches(max_rows integer, clock timestamptz)
returns integer
language plpgsql
set search_path = ''
as $$
declare
  ids uuid[];
  deleted integer;
  emptied integer := 0;
begin
  ids := array(
    select due.id
    from messaging.instances i
    cross join lateral (
      select b.id from messaging.batches b
      where b.instance_id = i.id and b.status in ('draft', 'canceled', 'finished')
        and coalesce(b.finished_at, b.created_at)
          <= clock - make_interval(days => i.retention_messages_days)
      order by b.instance_id, b.created_at
      limit max_rows
      for update of b skip locked
    ) as due
    where i.retention_messages_days is not null
    limit max_rows
  );
  if ids = '{}' then
    return 0;
  end if;
  delete from messaging.batch_recipients r
  where r.ctid = any (array(
    select listed.ctid
    from unnest(ids) as named(id)
    cross join lateral (
      select x.ctid from messaging.batch_recipients x where x.batch_id = named.id limit max_rows
    ) as listed
    limit max_rows
  ));
  get diagnostics deleted = row_count;
  if deleted < max_rows then
    delete from messaging.batches b where b.id = any (ids);
    get diagnostics emptied = row_count;
  end if;
  return deleted + emptied;
end;
$$;
revoke all
on function messaging.purge_batches(integer, timestamptz)
from public, anon, authenticated;
grant execute on function messaging.purge_batches(integer, timestamptz) to service_role;

-- purge_expired: deletes messages that are older than their instance keeps them, the oldest of each instance
-- first, at most `max_rows`, with the files that no other message names and their places in the lists of
-- batches. What still waits to be sent stays.
-- Contacts and conversations stay. Where a contact's last message is among them, its activity is read anew,
-- so that reading the contact shows no message that is gone.
-- Returns how many. Waits for no lock but those of contact_activity, which are the last.
-- Plans: see purge_expired.
create or replace function messaging.purge_messages(max_rows integer, clock timestamptz)
returns integer
language plpgsql
set search_path = ''
as $$
declare
  ids uuid[];
  files uuid[];
  contact_ids uuid[];
begin
  ids := array(
    select due.id
    from messaging.instances i
    cross join lateral (
      select m.id from messaging.messages m
      where m.instance_id = i.id and m.created_at > '-infinity'
        and m.created_at <= clock - make_interval(days => i.retention_messages_days)
        -- Not EXISTS: see claim_due_messages.
        and (
          select true from messaging.message_queue q where q.message_id = m.id limit 1
        ) is null
      order by m.instance_id, m.created_at
      limit max_rows
      for update of m skip locked
    ) as due
    where i.retention_messages_days is not null
    limit max_rows
  );
  if ids = '{}' then
    return 0;
  end if;
  files := messaging.media_of_messages(ids);
  with gone as (
    delete from messaging.messages m where m.id = any (ids)
    returning m.id, m.contact_id, m.batch_id, m.sent_at
  ),
  unlisted as (
    delete from messaging.batch_recipients r
    using gone g
    where r.contact_id = any (array[g.contact_id]) and r.batch_id = any (array[g.batch_id])
      and r.message_id = g.id and r.status = 'accepted'
  )
  select array_agg(a.contact_id) into contact_ids
  from (select g.contact_id, max(g.sent_at) as last_at from gone g group by g.contact_id) as told
  cross join lateral (
    select x.contact_id from messaging.contact_activity x
    where x.contact_id = told.contact_id and x.last_message_at <= told.last_at
    offset 0
  ) as a;
  perform messaging.forget_media(files);
  if contact_ids is not null then
    perform messaging.note_contact(named.id) from unnest(contact_ids) as named(id);
    perform messaging.touch_noted_contacts();
  end if;
  return cardinality(ids);
end;
$$;
revoke all
on function messaging.purge_messages(integer, timestamptz)
from public, anon, authenticated;
grant execute on function messaging.purge_messages(integer, timestamptz) to service_role;

-- Deletes rows whose retention is over, the oldest first, at most `request`.maxRows of each table:
-- idempotency keys after 24 hours, provider events after 30 days or what the instance says (retention),
-- messages, files and batches where the instance says how long, delivery events without a message
-- after 7 days, events after 30 days (see purge_events), webhook deliveries after 30 days and those of
-- deleted endpoints, uploads that broke off or that no message names (see purge_uploads), done outbox rows after 7 days, dead outbox rows (a person should see them) after 90
-- days.
-- Also counts anew what waits under limits (see recount_days).
-- Contacts, notes and logs belong to the user and stay, and so do messages and files by default.
-- Never waits for a lock, but see purge_messages. Rows are deleted by their place (ctid), which a lock holds: after a burst,
-- a join by key is planned with the statistics of the empty table, reads the table once per row, and
-- runs into the time limit.
-- Returns {purged, isComplete}: isComplete is false where maxRows was reached.
-- Plans must not depend on statistics, and planning each call would cost more than the call: hence the
-- settings below.
create or replace function public.purge_expired(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  max_rows constant integer := (request->>'maxRows')::integer;
  clock constant timestamptz := clock_timestamp();
  deleted integer;
  purged integer := 0;
  is_complete boolean := true;
begin
  delete from messaging.idempotency_keys k
  where k.ctid = any (array(
    select e.ctid from messaging.idempotency_keys e
    where e.created_at <= clock - interval '24 hours'
    order by e.created_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  perform messaging.recount_days(clock);

  deleted := messaging.purge_provider_events(max_rows, clock);
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from messaging.unmatched_statuses s
  where s.ctid = any (array(
    select e.ctid from messaging.unmatched_statuses e
    where e.received_at <= clock - interval '7 days'
    order by e.received_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  deleted := messaging.purge_events(max_rows, clock);
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from messaging.outbox o
  where o.ctid = any (array(
    select e.ctid from messaging.outbox e
    where e.status = 'done' and e.settled_at <= clock - interval '7 days'
    order by e.settled_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from messaging.outbox o
  where o.ctid = any (array(
    select e.ctid from messaging.outbox e
    where e.status = 'dead' and e.settled_at <= clock - interval '90 days'
    order by e.settled_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  deleted := messaging.purge_uploads(max_rows, clock);
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  deleted := messaging.purge_event_deliveries(max_rows, clock);
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  delete from messaging.erased_messages x
  where x.ctid = any (array(
    select e.ctid from messaging.erased_messages e
    where e.erased_at <= clock - interval '30 days'
    order by e.erased_at limit max_rows for update skip locked
  ));
  get diagnostics deleted = row_count;
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  deleted := messaging.purge_told_messages(max_rows, clock);
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  deleted := messaging.purge_media(max_rows, clock);
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  deleted := messaging.purge_messages(max_rows, clock);
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  deleted := messaging.purge_batches(max_rows, clock);
  purged := purged + deleted;
  is_complete := is_complete and deleted < max_rows;

  return jsonb_build_object('purged', purged, 'isComplete', is_complete);
end;
$$;
revoke all on function public.purge_expired(jsonb) from public, anon, authenticated;
grant execute on function public.purge_expired(jsonb) to service_role;
