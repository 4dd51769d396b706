-- For messages of ours whose provider ids are known now: what a gateway reported under the same id
-- before, as if it had been typed on the phone, was this message. Its delivery is this message's, and
-- who was known by its hidden address alone is this message's contact. A message that was taken to
-- have arrived, for an echo that was this one's, is in doubt again.
create or replace function messaging.merge_echo_duplicates(message_ids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  twin record;
  contact messaging.contacts;
  ghost messaging.contacts;
begin
  for twin in
    select m.id, m.contact_id, m.provider_message_id, e.id as echo_id,
      e.contact_id as echo_contact_id, e.status, e.confirmed_by_echo, e.failed_at, e.last_error,
      coalesce(e.read_at, e.delivered_at) as arrived_at
    from messaging.messages m
    join messaging.messages e on e.instance_id = m.instance_id
      and e.provider_message_id = m.provider_message_id
    where m.id = any (message_ids) and e.id <> m.id
      and (e.is_typed_on_phone or e.confirmed_by_echo)
  loop
    if twin.confirmed_by_echo then
      update messaging.messages e
      set status = 'unconfirmed', unconfirmed_at = clock_timestamp(), provider_message_id = null,
        confirmed_by_echo = false, sent_at = null, delivered_at = null, read_at = null,
        failed_at = null,
        last_error = jsonb_build_object(
          'code', 'outcome_unknown', 'message', 'the echo that confirmed it was of another message'
        )
      where e.id = twin.echo_id;
    else
      delete from messaging.messages e where e.id = twin.echo_id;
    end if;
    if twin.status in ('delivered', 'read') then
      perform messaging.advance_message(
        twin.id, twin.provider_message_id, twin.status, twin.arrived_at, null
      );
    end if;
    if twin.status = 'failed' then
      perform messaging.advance_message(
        twin.id, twin.provider_message_id, 'failed', twin.failed_at, twin.last_error
      );
    end if;
    continue when twin.confirmed_by_echo;
    select c.* into contact from messaging.contacts c where c.id = twin.contact_id;
    select c.* into ghost from messaging.contacts c
    where c.id = twin.echo_contact_id and c.id <> contact.id and c.phone is null;
    if found then
      -- Who has nothing but the echo was silenced by the agent's own words.
      delete from messaging.agent_pauses p
      where p.contact_id = ghost.id
        and not exists (select from messaging.messages m where m.contact_id = ghost.id);
      perform messaging.merge_contacts(contact, ghost);
    end if;
  end loop;
end;
$$;
revoke all on function messaging.merge_echo_duplicates(uuid[]) from public, anon, authenticated;
grant execute on function messaging.merge_echo_duplicates(uuid[]) to service_role;
