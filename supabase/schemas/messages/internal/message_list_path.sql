-- How list_messages finds the messages of a request. `batch`, `card`, `stopped` (a status that only a minority of
-- messages has) and `instance`: by an index in the order in which they were stored. `contact` and `queue`:
-- all of them by an index of another order, where they are at most `most`; of `queue` see queued_elsewhere too.
-- `none`: nothing can match.
create or replace function messaging.message_list_path(request jsonb, of_contact uuid, most integer)
returns text language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  of_instance constant uuid := (request->>'instanceId')::uuid;
  -- Not NULL: AND reads its second operand beside a NULL.
  of_status constant text := coalesce(request->>'status', 'any');
begin
  -- `received` is the status of all inbound messages.
  if of_status <> 'any' and (of_status = 'received') <> (request->>'direction' = 'inbound') then
    return 'none';
  end if;
  if of_contact is not null and (
    select count(*) from (
      select from messaging.messages m
      where m.contact_id = any (messaging.merged_contact_ids(of_contact))
      limit most + 1
    ) as counted
  ) <= most then
    return 'contact';
  end if;
  if request->>'batchId' is not null then
    return 'batch';
  elsif request->>'cardId' is not null then
    return 'card';
  elsif of_status in ('failed', 'canceled', 'unconfirmed', 'expired') then
    return 'stopped';
  elsif of_status in ('queued', 'sending') and (
    select count(*) from (
      (
        select from messaging.message_queue p
        where p.instance_id = of_instance and p.lane = 'paced'
        limit most + 1
      )
      union all
      (
        select from messaging.message_queue u
        where u.instance_id = of_instance and u.lane = 'unpaced'
        limit most + 1
      )
    ) as counted
  ) <= most and (
    of_status = 'sending' or (
      select count(*) from (
        select from messaging.messages m
        where m.expires_at is not null and m.status = 'queued'
        limit most + 1
      ) as counted
    ) <= most
  ) then
    return 'queue';
  end if;
  return 'instance';
end;
$$;
