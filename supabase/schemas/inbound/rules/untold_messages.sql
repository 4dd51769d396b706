-- Those of the inbound messages that are to be recorded: their credentials have not been replaced, they name
-- the business's own number nowhere (see without_own_number), and they are neither stored already nor erased.
-- The look-up is no EXISTS: its plan may read all rows of the instance.
create or replace function messaging.new_messages(events messaging.plain_event[])
returns setof messaging.plain_event language sql stable
begin atomic
  select e.*
  from unnest(events) as e
  where
    (
      select true
      from messaging.present_credentials(e.instance_id, e.sealed_provider_config) as own (phone_key)
      where own.phone_key != all (e.identity_keys)
    )
    and (
      select true
      from messaging.stored_message(e.instance_id, e.provider_message_id)
    ) is null
    and (
      select true
      from messaging.erased_messages as x
      where
        x.instance_id = e.instance_id
        and x.id_hash = messaging.message_id_hash(e.provider_message_id)
      limit 1
    ) is null;
end;

-- One row, the identity key of the own number, where a delivery was checked against the credentials that its
-- instance has now.
create or replace function messaging.present_credentials(
  instance_id uuid, sealed_provider_config text
) returns setof text language sql stable
begin atomic
  select i.connected_phone_key
  from messaging.instances as i
  where
    i.id = present_credentials.instance_id
    and (i.sealed_provider_config != present_credentials.sealed_provider_config) is not true
  limit 1;
end;

-- The id of the message with this provider's id; no row where none is stored.
-- Returns rows, for a function that reads a table is inlined only in FROM.
create or replace function messaging.stored_message(instance_id uuid, provider_message_id text)
returns setof uuid language sql stable
begin atomic
  select m.id
  from messaging.messages as m
  where
    m.instance_id = stored_message.instance_id
    and m.provider_message_id = stored_message.provider_message_id
  limit 1;
end;
