-- purge_expired: deletes events of instances that keep messages for less than the 30 days of events: an
-- event must not outlive its message. At most `max_rows` of an instance, the oldest first; notes how far
-- the feed is gone, as purge_events does. Returns how many. Never waits for a lock. Plans: see
-- purge_expired.
create or replace function messaging.purge_events_of_messages(max_rows integer, clock timestamptz)
returns integer language plpgsql set search_path = '' as $$
declare
  of_instance record;
  places tid[];
  purged_through bigint;
  purged integer := 0;
begin
  for of_instance in
    select i.id, clock - make_interval(days => i.retention_messages_days) as until
    from messaging.instances i
    where i.retention_messages_days < 30
  loop
    places := array(
      select e.ctid
      from (
        select o.ctid, o.recorded_at
        from messaging.events o
        where (o.instance_id, o.sequence) >= (of_instance.id, 0)
          and (o.instance_id, o.sequence) <= (of_instance.id, 9223372036854775807)
        order by o.instance_id, o.sequence
        limit case
          when (
            select f.recorded_at from messaging.events f
            where (f.instance_id, f.sequence) >= (of_instance.id, 0)
              and (f.instance_id, f.sequence) <= (of_instance.id, 9223372036854775807)
            order by f.instance_id, f.sequence
            limit 1
          ) <= of_instance.until then max_rows
          else 0
        end
      ) as e
      where e.recorded_at <= of_instance.until
    );
    continue when places = '{}';
    with due as materialized (
      select e.ctid from messaging.events e where e.ctid = any (places) for update skip locked
    ),
    gone as (
      delete from messaging.events e
      where e.ctid = any (array(select d.ctid from due d))
      returning e.sequence
    )
    select max(g.sequence), purged + count(*) into purged_through, purged from gone g;
    insert into messaging.event_streams as s (instance_id, purged_through)
    select of_instance.id, purged_through where purged_through is not null
    on conflict on constraint event_streams_pkey do update
    set purged_through = greatest(s.purged_through, excluded.purged_through);
  end loop;
  return purged;
end;
$$;
