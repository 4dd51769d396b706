-- Creates the contacts and conversations of inbound messages whose person no address of the event
-- finds, as resolve_sender and resolve_conversation do. Returns whether it created any.
-- The caller holds lock_plain_events.
create or replace function messaging.add_new_senders(events messaging.plain_event[])
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  new_ids uuid[];
begin
  with persons as (
    insert into messaging.contacts (
      instance_id, phone, identity_key, origin, name, is_profile_name
    )
    select distinct on (e.instance_id, e.identity_keys[1]) e.instance_id,
      case when messaging.is_phone(e.addresses[1]) then e.addresses[1] end, e.identity_keys[1],
      'inbound', e.contact_name, e.contact_name is not null
    from unnest(events) as e
    cross join lateral (
      select true from messaging.instances i
      where i.id = e.instance_id and (i.sealed_provider_config <> e.sealed_provider_config) is not true
      limit 1
    ) as instance
    where (
        select true from messaging.messages m
        where m.instance_id = e.instance_id and m.provider_message_id = e.provider_message_id
        limit 1
      ) is null
      and (
        select true from messaging.erased_messages x
        where x.instance_id = e.instance_id
          and x.id_hash = messaging.message_id_hash(e.provider_message_id)
        limit 1
      ) is null
      and (
        select true
        from unnest(e.identity_keys) as seen(identity_key)
        cross join lateral (
          select c.id from messaging.contacts c
          where c.instance_id = e.instance_id and c.identity_key = seen.identity_key
          union all
          select a.contact_id from messaging.contact_addresses a
          where a.instance_id = e.instance_id and a.identity_key = seen.identity_key
        ) as known
        limit 1
      ) is null
      -- Who shows an address of another new person is that person: resolve_sender decides.
      and (
        select true from unnest(events) as other
        where other.instance_id = e.instance_id and other.place < e.place
          and other.identity_keys[1] <> e.identity_keys[1]
          and other.identity_keys && e.identity_keys
        limit 1
      ) is null
    order by e.instance_id, e.identity_keys[1], e.place
    on conflict on constraint contacts_identity do nothing
    returning id, instance_id
  ), conversations as (
    insert into messaging.conversations (instance_id, contact_id)
    select p.instance_id, p.id from persons p
  )
  select array_agg(p.id) into new_ids from persons p;
  perform messaging.record_new_contacts(new_ids);
  return new_ids is not null;
end;
$$;
