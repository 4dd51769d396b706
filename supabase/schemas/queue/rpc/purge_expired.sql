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
