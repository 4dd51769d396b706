-- Counts a message that leaves when its caller says, at once or after a delay, on the day that it is due:
-- it takes a place of that day's limits, and is never held by them. Only for instances with protection.
-- Locks pacing.
create or replace function messaging.count_unpaced_send(
  instance_id uuid, contact_id uuid, due_at timestamptz, out counted_on date, out is_new boolean
) language plpgsql set search_path = '' as $$
declare
  instance messaging.instances;
begin
  perform from messaging.pacing p
  where p.instance_id = count_unpaced_send.instance_id for no key update;
  instance := messaging.find_instance(instance_id);
  if instance.protection is null then
    return;
  end if;
  counted_on := (due_at at time zone instance.time_zone)::date;
  is_new := instance.protection ? 'newContactsPerDay' and messaging.is_new_contact(contact_id);
  insert into messaging.paced_days as d (instance_id, day, sent, sent_new)
  values (instance.id, counted_on, 1, is_new::integer)
  on conflict on constraint paced_days_pkey do update
  set sent = d.sent + 1, sent_new = d.sent_new + excluded.sent_new;
end;
$$;
