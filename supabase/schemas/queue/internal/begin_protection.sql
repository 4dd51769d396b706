-- Counts what an instance's protection counts: called when its protection or its time zone has changed,
-- before plan_slot_moves, which counts what waits. What was sent today is counted once, from the
-- messages; after that, each claim and each immediate send counts itself. Without protection nothing
-- is kept. The caller holds the pacing row.
create or replace function messaging.begin_protection(instance messaging.instances)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  today constant date := (clock_timestamp() at time zone instance.time_zone)::date;
  midnight constant timestamptz := today::timestamp at time zone instance.time_zone;
begin
  update messaging.pacing p
  set is_protected = instance.protection is not null
  where p.instance_id = instance.id;
  if instance.protection is null then
    delete from messaging.paced_days d where d.instance_id = instance.id;
    return;
  end if;
  if not exists (select from messaging.paced_days d where d.instance_id = instance.id) then
    insert into messaging.paced_days (instance_id, day, sent, sent_new)
    select instance.id, today, coalesce(sum(s.messages), 0), count(*) filter (where s.is_new)
    from (
      select count(*) as messages, not exists (
        select from messaging.messages before
        where before.contact_id = m.contact_id and before.sent_at < midnight
      ) as is_new
      from messaging.messages m
      where m.instance_id = instance.id and m.direction = 'outbound' and m.status <> 'failed'
        and m.sent_at >= midnight and not m.is_typed_on_phone
      group by m.contact_id
    ) as s;
  end if;
  if instance.protection ? 'newContactsPerDay' then
    update messaging.message_queue q
    set is_new = w.is_new
    from (
      select p.message_id,
        row_number() over (partition by m.contact_id order by p.scheduled_at, p.position) = 1
          and messaging.is_new_contact(m.contact_id) as is_new
      from messaging.message_queue p
      join messaging.messages m on m.id = any (array[p.message_id])
      where p.instance_id = instance.id and p.lane = 'paced' and p.claim_token is null
    ) as w
    where q.message_id = any (array[w.message_id]) and q.is_new is distinct from w.is_new;
  end if;
end;
$$;
