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
