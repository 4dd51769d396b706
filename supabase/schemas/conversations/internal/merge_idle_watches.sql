-- Lets the conversation of two merged contacts be watched from its newest message: the watch of `gone_id` becomes
-- that of `kept_id` where it is the newer one. Locks both rows: call it last.
create or replace function messaging.merge_idle_watches(kept_id uuid, gone_id uuid)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  gone messaging.idle_watches;
begin
  delete from messaging.idle_watches w where w.contact_id = gone_id returning w.* into gone;
  if not found then
    return;
  end if;
  insert into messaging.idle_watches as w
  select v.contact_id, v.instance_id, v.id, gone.awaiting, gone.since, gone.last_message_id,
    gone.due_at
  from messaging.conversations v
  where v.contact_id = kept_id
  on conflict on constraint idle_watches_pkey do update
  set awaiting = excluded.awaiting, since = excluded.since,
    last_message_id = excluded.last_message_id, due_at = excluded.due_at
  where w.since < excluded.since;
end;
$$;
