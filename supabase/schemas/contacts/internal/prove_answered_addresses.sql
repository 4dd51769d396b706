-- settle_messages: records that the provider reached these addresses now. An address that belongs to
-- another contact stays with it. An address that is already proven is written again once a day, or
-- when the contact has another address proven since: a write with every message would cost too much.
-- Records an event of each contact that has changed its number and is shown with another one now.
create or replace function messaging.prove_answered_addresses(
  settlements messaging.settlement[], clock timestamptz
) returns void language plpgsql set search_path = '' as $$
declare
  moved jsonb;
begin
  select jsonb_object_agg(c.id, jsonb_build_object('phone', messaging.contact_display_phone(c)))
  into moved
  from unnest(settlements) as s
  join messaging.contacts c on c.id = any (array[s.contact_id])
  where s.wa_id is not null and (
    select true from messaging.contact_addresses a
    where a.contact_id = s.contact_id and a.changed_by is not null
    limit 1
  );
  insert into messaging.contact_addresses as a (instance_id, address, contact_id, proven_at)
  select distinct on (s.instance_id, messaging.phone_identity_key(s.wa_id))
    s.instance_id, s.wa_id, s.contact_id, clock
  from unnest(settlements) as s
  where s.wa_id is not null
  order by s.instance_id, messaging.phone_identity_key(s.wa_id)
  on conflict on constraint contact_addresses_pkey do update
  set proven_at = excluded.proven_at, address = excluded.address
  where a.contact_id = excluded.contact_id
    and (
      a.address <> excluded.address
      or a.proven_at < clock - interval '1 day'
      or exists (
        select from messaging.contact_addresses newer
        where newer.contact_id = a.contact_id and newer.proven_at > a.proven_at
      )
    );
  if moved is not null then
    perform messaging.record_contact_changes(c.instance_id, c.id, moved->c.id::text)
    from messaging.contacts c
    where c.id = any (array(select key.value::uuid from jsonb_object_keys(moved) as key(value)))
    order by c.id;
  end if;
end;
$$;
