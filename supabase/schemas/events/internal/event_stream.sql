-- What the feed knows of an instance beside its events; made by the first reading.
create or replace function messaging.event_stream(instance_id uuid)
returns messaging.event_streams
language plpgsql
set search_path = ''
as $$
declare
  stream messaging.event_streams;
begin
  select s.* into stream from messaging.event_streams s
  where s.instance_id = event_stream.instance_id;
  if not found then
    insert into messaging.event_streams (instance_id) values (event_stream.instance_id)
    on conflict do nothing;
    select s.* into strict stream from messaging.event_streams s
    where s.instance_id = event_stream.instance_id;
  end if;
  return stream;
end;
$$;
