-- purge_expired: lets files go that are older than their instance keeps them, the oldest of each instance
-- first, at most `max_rows`: see expire_media. Returns how many. Plans: see purge_expired.
create or replace function messaging.purge_media(max_rows integer, clock timestamptz)
returns integer language plpgsql set search_path = '' as $$
begin
  return messaging.expire_old_media(array(
    select due.id
    from messaging.instances i
    cross join lateral (
      select f.id from messaging.media f
      where f.instance_id = i.id and f.status in ('pending', 'stored')
        and f.created_at <= clock - make_interval(days => i.retention_media_days)
      order by f.instance_id, f.created_at
      limit max_rows
      for update skip locked
    ) as due
    where i.retention_media_days is not null
    limit max_rows
  ));
end;
$$;
