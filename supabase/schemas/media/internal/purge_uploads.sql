-- purge_expired: deletes uploads that broke off, with what the storage has of them, and lets those go that
-- no message has named in time (expires_at). An upload takes two minutes at most, so that one which is
-- not stored after half an hour never will be: its file is gone within the hour.
-- At most `max_rows` of each. Never waits for a lock. Returns how many.
create or replace function messaging.purge_uploads(max_rows integer, clock timestamptz)
returns integer language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  return messaging.forget_media(array(
    select m.id from messaging.media m
    where m.status = 'pending' and m.created_at <= clock - interval '30 minutes'
      and m.origin = 'upload'
    order by m.created_at limit max_rows for update skip locked
  )) + messaging.expire_old_media(array(
    select m.id from messaging.media m
    where m.status = 'stored' and m.expires_at <= clock
    order by m.expires_at limit max_rows for update skip locked
  ));
end;
$$;
