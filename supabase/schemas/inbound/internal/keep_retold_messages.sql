-- Stores the payloads of inbound messages that are stored already: a channel delivers until it is answered,
-- and delivers again what was recorded all the same. Returns their places. Leaves the others untouched, and
-- one that brings its file with it: see attach_embedded_file.
-- Holds the messages, so that an erasure, which deletes them before the payloads of their person, waits and
-- finds the payloads. Waits for nobody: one that is being deleted is left untouched.
create or replace function messaging.keep_retold_messages(events messaging.plain_event[])
returns integer[] language plpgsql set search_path = '' as $$
declare
  retold integer[];
begin
  retold := array(
    select e.place from unnest(events) as e
    cross join lateral messaging.stored_message(e.instance_id, e.provider_message_id) as stored(id)
    cross join lateral (
      select from messaging.messages m where m.id = stored.id for key share skip locked
    ) as held
    where e.file->'stored' is null
  );
  if cardinality(retold) > 0 then
    retold := array(
      select e.place from unnest(events) as e
      cross join lateral messaging.present_credentials(e.instance_id, e.sealed_provider_config)
      where e.place = any (retold)
    );
    insert into messaging.provider_events (instance_id, payload)
    select e.instance_id, e.payload from unnest(events) as e
    where e.place = any (retold) and e.payload is not null
    order by e.place;
  end if;
  return retold;
end;
$$;
