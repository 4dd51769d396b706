-- Counts what is noted of an instance, or, where `message_ids` is given, of these messages alone: before
-- the sums are read, rates replaced, or messages deleted. See lock_usage_notes. The notes have no index.
create or replace function messaging.settle_usage_notes(
  instance_id uuid, message_ids uuid[] default null
) returns void language plpgsql set search_path = '' set enable_seqscan = on as $$
declare
  taken messaging.usage_notes[];
begin
  if not exists (
    select from messaging.usage_notes n where n.instance_id = settle_usage_notes.instance_id
  ) then
    return;
  end if;
  perform messaging.lock_usage_notes();
  with gone as (
    delete from messaging.usage_notes n
    where n.instance_id = settle_usage_notes.instance_id
      and (message_ids is null or n.message_id = any (message_ids))
    returning n as note
  )
  select array_agg(g.note) into taken from gone g;
  if taken is not null then
    perform messaging.add_usage_changes(messaging.count_notes(taken));
  end if;
end;
$$;

-- One transaction at a time takes usage_notes, so that none counts a free service message that another one
-- counts. Waits for as long as fold_usage takes, which itself waits for no message.
create or replace function messaging.lock_usage_notes()
returns void language sql set search_path = '' as $$
  select pg_advisory_xact_lock(hashtextextended('usage notes', 0));
$$;
