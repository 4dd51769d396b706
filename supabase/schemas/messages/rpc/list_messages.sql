-- messages-api: messages of an instance, sent and received, in the order in which they were stored, or from
-- the newest, a page at a time. `request`: instanceId, limit, order (`desc`: from the newest), `after` as
-- returned in `next`, and filters, each NULL for any: phone, contactId or userId (one of them), cardId,
-- batchId, status (as describe_message tells it), direction, since and until (both included, in the
-- milliseconds that answers show). An unknown phone or userId has no messages. Returns {items, next}.
-- A page reads at most `most_read` messages: where few of many match, it has fewer items than `limit`, or
-- none, and `next` all the same. It reads them in growing steps, by the way that message_list_path chooses.
-- Errors: MI014; MI031 and MI035 see find_recipient.
-- Plans must not depend on statistics: hence the settings below.
create or replace function public.list_messages(request jsonb)
returns jsonb language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  most_read constant integer := 5000;
  reading messaging.list_reading := messaging.begin_reading(request);
  of_instance constant uuid := (request->>'instanceId')::uuid;
  names_contact constant boolean :=
    coalesce(request->>'phone', request->>'contactId', request->>'userId') is not null;
  of_contact constant uuid := case
    when names_contact then (messaging.find_recipient(of_instance, request)).id
  end;
  of_contacts constant uuid[] := messaging.merged_contact_ids(of_contact);
  of_card constant text := request->>'cardId';
  of_batch constant uuid := request->>'batchId';
  of_direction constant text := request->>'direction';
  of_status constant text := request->>'status';
  -- A queued message that is claimed is `sending`.
  stored_status constant text := case of_status when 'sending' then 'queued' else of_status end;
  before constant timestamptz := coalesce(
    (request->>'until')::timestamptz + interval '1 millisecond', 'infinity'
  );
  since constant timestamptz := coalesce((request->>'since')::timestamptz, '-infinity');
  is_backward constant boolean := coalesce(request->>'order' = 'desc', false);
  zone constant text := (select i.time_zone from messaging.instances i where i.id = of_instance);
  budget_ends_at constant timestamptz := (
    select messaging.reached_budget_ends_at(i, clock_timestamp())
    from messaging.instances i
    where i.id = of_instance
  );
  path text;
  step_read bigint;
  last_read jsonb;
  found_now jsonb[];
begin
  if names_contact and of_contact is null then
    return messaging.build_read_page(reading);
  end if;
  path := messaging.message_list_path(request, of_contact, most_read);
  if path in ('contact', 'queue') then
    reading.step := most_read;
  end if;
  if is_backward and before < reading.after_at then
    reading.after_at := before;
    reading.after_id := '00000000-0000-0000-0000-000000000000';
  elsif not is_backward and since > reading.after_at then
    reading.after_at := since;
    reading.after_id := '00000000-0000-0000-0000-000000000000';
  end if;
  loop
    with scanned as materialized (
      (
        select m from messaging.messages m
        where path = 'instance' and not is_backward and m.instance_id = of_instance
          and m.created_at > '-infinity'
          and (m.created_at, m.id) > (reading.after_at, reading.after_id) and m.created_at < before
        order by m.created_at, m.id
        limit reading.step
      )
      union all
      (
        select m from messaging.messages m
        where path = 'batch' and not is_backward and m.batch_id = of_batch and m.instance_id = of_instance
          and (m.created_at, m.id) > (reading.after_at, reading.after_id) and m.created_at < before
        order by m.created_at, m.id
        limit reading.step
      )
      union all
      (
        select m from messaging.messages m
        where path = 'card' and not is_backward and m.instance_id = of_instance and m.card_id = of_card
          and (m.created_at, m.id) > (reading.after_at, reading.after_id) and m.created_at < before
        order by m.created_at, m.id
        limit reading.step
      )
      union all
      (
        select m from messaging.messages m
        where path = 'stopped' and not is_backward and m.instance_id = of_instance and m.status = stored_status
          and m.status in ('failed', 'canceled', 'unconfirmed', 'expired')
          and (m.created_at, m.id) > (reading.after_at, reading.after_id) and m.created_at < before
        order by m.created_at, m.id
        limit reading.step
      )
      union all
      (
        select few.m
        from (
          select m from messaging.messages m
          where path = 'contact' and not is_backward and m.contact_id = any (of_contacts)
          union all
          select m
          from messaging.queue_of_instance(of_instance) as q
          join messaging.messages m on m.id = q.message_id
          where path = 'queue' and not is_backward
          union all
          select m from messaging.queued_elsewhere(of_instance, most_read) as m
          where path = 'queue' and of_status = 'queued' and not is_backward
        ) as few
        where ((few.m).created_at, (few.m).id) > (reading.after_at, reading.after_id) and (few.m).created_at < before
        order by (few.m).created_at, (few.m).id
        limit reading.step
      )
      union all
      (
        select m from messaging.messages m
        where path = 'instance' and is_backward and m.instance_id = of_instance
          and m.created_at > '-infinity'
          and (m.created_at, m.id) < (reading.after_at, reading.after_id) and m.created_at >= since
        order by m.created_at desc, m.id desc
        limit reading.step
      )
      union all
      (
        select m from messaging.messages m
        where path = 'batch' and is_backward and m.batch_id = of_batch and m.instance_id = of_instance
          and (m.created_at, m.id) < (reading.after_at, reading.after_id) and m.created_at >= since
        order by m.created_at desc, m.id desc
        limit reading.step
      )
      union all
      (
        select m from messaging.messages m
        where path = 'card' and is_backward and m.instance_id = of_instance and m.card_id = of_card
          and (m.created_at, m.id) < (reading.after_at, reading.after_id) and m.created_at >= since
        order by m.created_at desc, m.id desc
        limit reading.step
      )
      union all
      (
        select m from messaging.messages m
        where path = 'stopped' and is_backward and m.instance_id = of_instance and m.status = stored_status
          and m.status in ('failed', 'canceled', 'unconfirmed', 'expired')
          and (m.created_at, m.id) < (reading.after_at, reading.after_id) and m.created_at >= since
        order by m.created_at desc, m.id desc
        limit reading.step
      )
      union all
      (
        select few.m
        from (
          select m from messaging.messages m
          where path = 'contact' and is_backward and m.contact_id = any (of_contacts)
          union all
          select m
          from messaging.queue_of_instance(of_instance) as q
          join messaging.messages m on m.id = q.message_id
          where path = 'queue' and is_backward
          union all
          select m from messaging.queued_elsewhere(of_instance, most_read) as m
          where path = 'queue' and of_status = 'queued' and is_backward
        ) as few
        where ((few.m).created_at, (few.m).id) < (reading.after_at, reading.after_id)
          and (few.m).created_at >= since
        order by (few.m).created_at desc, (few.m).id desc
        limit reading.step
      )
    ),
    matching as (
      select messaging.message_after_merge(s.m) as m
      from scanned s
      where (of_contact is null or (s.m).contact_id = any (of_contacts))
        and (of_batch is null or (s.m).batch_id = of_batch)
        and (of_card is null or (s.m).card_id = of_card)
        and (of_direction is null or (s.m).direction = of_direction)
        and (of_status is null or (s.m).status in (of_status, stored_status))
        and (
          coalesce(of_status, '') not in ('queued', 'sending')
          or (of_status = 'sending') = ((s.m).status = 'sending' or exists (
            select from messaging.message_queue q
            where q.message_id = (s.m).id and q.claim_token is not null
          ))
        )
      order by
        case when not is_backward then (s.m).created_at end, case when not is_backward then (s.m).id end,
        (s.m).created_at desc, (s.m).id desc
      limit reading.page_size + 1 - cardinality(reading.records)
    )
    select
      array(
        select jsonb_build_object(
          'createdAt', (f.m).created_at, 'id', (f.m).id,
          'record', case
            when (f.m).status = 'queued' then messaging.describe_message(f.m, budget_ends_at)
            when (f.m).media_id is not null
              then messaging.message_record(f.m, zone, false)
                || messaging.read_message_contact((f.m).contact_id)
                || messaging.message_media((f.m).media_id, (f.m).content)
                || messaging.received_file_error(f.m)
            else messaging.message_record(f.m, zone, false)
              || messaging.read_message_contact((f.m).contact_id)
          end
        )
        from matching f
        order by
          case when not is_backward then (f.m).created_at end, case when not is_backward then (f.m).id end,
          (f.m).created_at desc, (f.m).id desc
      ),
      (select count(*) from scanned),
      (
        select jsonb_build_object('createdAt', (s.m).created_at, 'id', (s.m).id)
        from scanned s
        order by
          case when is_backward then (s.m).created_at end, case when is_backward then (s.m).id end,
          (s.m).created_at desc, (s.m).id desc
        limit 1
      )
    into found_now, step_read, last_read;
    reading := messaging.go_on_reading(reading, found_now, step_read, last_read, most_read);
    exit when reading.is_over;
  end loop;
  return messaging.build_read_page(reading);
end;
$$;
