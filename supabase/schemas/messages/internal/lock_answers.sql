-- settle_messages: locks what the answers name, before the queue: the provider's message ids, so that a
-- delivery event and the settling of its message never miss each other, then the addresses that
-- the contacts do not have yet, then those contacts in the order of their ids: who merges or erases one
-- holds it, and goes on to its messages. `results` as in settle_messages.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.lock_answers(results jsonb, shows_addresses boolean)
returns void language plpgsql set search_path = '' as $$
declare
  answered uuid[];
  contact_ids uuid[];
begin
  perform pg_advisory_xact_lock(wanted.lock_key)
  from (
    select distinct messaging.provider_message_lock_key(
      m.instance_id, r."providerMessageId"
    ) as lock_key
    from jsonb_to_recordset(results) as r("messageId" uuid, "providerMessageId" text)
    join messaging.messages m on m.id = any (array[r."messageId"])
    where r."providerMessageId" is not null
    order by lock_key
  ) as wanted;
  if not shows_addresses then
    return;
  end if;
  perform messaging.lock_addresses(shown.instance_id, array_agg(shown.address))
  from (
    select m.instance_id, r."waId" as address
    from jsonb_to_recordset(results) as r("messageId" uuid, "waId" text)
    cross join lateral (
      select own.instance_id, own.contact_id
      from messaging.messages own
      where own.id = r."messageId"
      offset 0
    ) as m
    where r."waId" is not null and not exists (
      select from messaging.contact_addresses a
      where a.instance_id = m.instance_id
        and a.identity_key = messaging.phone_identity_key(r."waId") and a.contact_id = m.contact_id
    )
  ) as shown
  group by shown.instance_id
  order by shown.instance_id;
  answered := array(
    select r."messageId" from jsonb_to_recordset(results) as r("messageId" uuid, "waId" text)
    where r."waId" is not null
  );
  loop
    contact_ids := array(
      select distinct m.contact_id from messaging.messages m where m.id = any (answered)
    );
    perform from messaging.contacts c where c.id = any (contact_ids) order by c.id for update;
    -- A merge that this has waited for has moved the messages.
    exit when not exists (
      select from messaging.messages m
      where m.id = any (answered) and m.contact_id <> all (contact_ids)
    );
  end loop;
end;
$$;
