-- accept_messages: creates what the plain calls still lack, contacts and conversations, and pauses the
-- agents. Calls for one new phone get one contact. `calls` and `plain` as in plain_acceptances. Returns
-- `plain` as it is then.
-- Locks, each in one order for all callers: addresses of new contacts, contacts, conversations, agent
-- pauses.
-- Errors: MI055 where a contact was merged or blocked meanwhile; the batch must be repeated.
create or replace function messaging.complete_acceptances(calls jsonb, plain messaging.acceptance[])
returns messaging.acceptance[] language plpgsql set search_path = '' as $$
declare
  completed messaging.acceptance[] := plain;
  locked integer;
  new_ids uuid[];
begin
  perform messaging.lock_addresses(new.instance_id, new.phones)
  from (
    select p.instance_id, array_agg(p.phone) as phones
    from unnest(plain) as p
    where p.contact_id is null
    group by p.instance_id
    order by p.instance_id
  ) as new;
  if found then
    with created as (
      insert into messaging.contacts (instance_id, phone, identity_key, origin)
      select distinct on (p.instance_id, p.identity_key)
        p.instance_id, p.phone, p.identity_key, 'api'
      from unnest(plain) as p
      where p.contact_id is null and (messaging.find_contact(p.instance_id, p.phone)).id is null
      order by p.instance_id, p.identity_key, p.place
      on conflict on constraint contacts_identity do nothing
      returning id, instance_id
    ), conversations as (
      insert into messaging.conversations (instance_id, contact_id)
      select c.instance_id, c.id from created c
    )
    select array_agg(c.id) into new_ids from created c;
    perform messaging.record_new_contacts(new_ids);
    completed := messaging.plain_acceptances(calls, completed);
  end if;
  perform from messaging.contacts c
  where c.id = any (array(select p.contact_id from unnest(completed) as p))
    and c.merged_into is null
  order by c.id
  for key share;
  get diagnostics locked = row_count;
  if exists (select from unnest(completed) as p where p.conversation_id is null) then
    insert into messaging.conversations (instance_id, contact_id)
    select distinct on (p.contact_id) p.instance_id, p.contact_id
    from unnest(completed) as p
    where p.conversation_id is null and p.contact_id is not null
    order by p.contact_id
    on conflict do nothing;
    completed := messaging.plain_acceptances(calls, completed);
  end if;
  -- Nothing may be written to a contact that was merged or blocked since it was read first.
  if cardinality(completed) is distinct from cardinality(plain)
    or locked <> (select count(distinct p.contact_id) from unnest(completed) as p)
    or exists (select from unnest(completed) as p where p.conversation_id is null) then
    raise exception using errcode = 'MI055', message = 'merged meanwhile';
  end if;
  return messaging.pause_accepted_agents(completed);
end;
$$;

-- accept_messages: pauses the agents of the plain calls, as pause_agent does for one, and notes until
-- when.
create or replace function messaging.pause_accepted_agents(plain messaging.acceptance[])
returns messaging.acceptance[] language plpgsql set search_path = '' as $$
declare
  pauses jsonb;
begin
  if not exists (select from unnest(plain) as p where p.has_active_agent) then
    return plain;
  end if;
  select messaging.renew_agent_pauses(
    array_agg(p.contact_id), array_agg(p.instance_id), messaging.agent_pause_ends_at(clock_timestamp())
  )
  into pauses
  from unnest(plain) as p
  where p.has_active_agent;
  for place in 1..cardinality(plain) loop
    plain[place].paused_until := (pauses->>plain[place].contact_id::text)::timestamptz;
  end loop;
  return plain;
end;
$$;
