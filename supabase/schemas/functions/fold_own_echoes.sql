-- For messages of ours whose provider ids are known now: what a gateway reported under the same id
-- before, as if it had been typed on the phone, was this message. Its delivery is this message's, and
-- who was known by its hidden address alone is this message's contact.
create or replace function public.fold_own_echoes(message_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  twin record;
  contact public.contacts;
  ghost public.contacts;
begin
  for twin in
    select m.id, m.contact_id, m.provider_message_id, e.id as echo_id,
      e.contact_id as echo_contact_id, e.status, coalesce(e.read_at, e.delivered_at) as arrived_at
    from public.messages m
    join public.messages e on e.instance_id = m.instance_id
      and e.provider_message_id = m.provider_message_id
    where m.id = any (message_ids) and e.id <> m.id and e.sent_by = 'phone'
  loop
    delete from public.messages e where e.id = twin.echo_id;
    if twin.status in ('delivered', 'read') then
      perform public.advance_message(
        twin.id, twin.provider_message_id, twin.status, twin.arrived_at, null
      );
    end if;
    select c.* into contact from public.contacts c where c.id = twin.contact_id;
    select c.* into ghost from public.contacts c
    where c.id = twin.echo_contact_id and c.id <> contact.id and c.phone is null;
    if found then
      -- Who has nothing but the echo was silenced by the agent's own words.
      delete from public.agent_pauses p
      where p.contact_id = ghost.id
        and not exists (select from public.messages m where m.contact_id = ghost.id);
      perform public.merge_contacts(contact, ghost);
    end if;
  end loop;
end;
$$;
revoke all on function public.fold_own_echoes(uuid[]) from public, anon, authenticated;
grant execute on function public.fold_own_echoes(uuid[]) to service_role;
