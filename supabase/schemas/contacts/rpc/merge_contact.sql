-- contacts-api merge: two contacts are one person. Everything of `contactId` moves to `intoContactId`,
-- which survives: see merge_contacts. `request`: instanceId, contactId, intoContactId, idempotency.
-- The ids of merged contacts mean their survivors, so that a call that is repeated, or crosses one in the
-- other direction, finds nothing left to do.
-- Returns the outcome: contactId, the survivor; or {replayed}.
-- Locks the addresses of both, so that events of the same person wait, then as merge_contacts.
-- Errors: MI007, MI008, MI031, MI035; MI055 where another call has merged one of them meanwhile.
create or replace function public.merge_contact(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  replayed constant jsonb := messaging.begin_idempotent(request);
  of_instance constant uuid := (request->>'instanceId')::uuid;
  gone messaging.contacts;
  kept messaging.contacts;
begin
  if replayed is not null then
    return replayed;
  end if;
  gone := messaging.find_recipient(
    of_instance, jsonb_build_object('contactId', request->'contactId')
  );
  kept := messaging.find_recipient(
    of_instance, jsonb_build_object('contactId', request->'intoContactId')
  );
  if gone.id <> kept.id then
    perform messaging.lock_addresses(of_instance, array(
      select a.address from messaging.contact_addresses a where a.contact_id in (gone.id, kept.id)
      union
      select own.address
      from unnest(array[gone.phone, gone.identity_key, kept.phone, kept.identity_key]) as own(address)
      where own.address is not null
    ));
    perform from messaging.contacts c where c.id in (gone.id, kept.id) order by c.id for update;
    perform messaging.refuse_erased(of_instance, gone.id);
    perform messaging.refuse_erased(of_instance, kept.id);
    kept := messaging.merge_contacts(kept, gone);
    perform messaging.touch_noted_contacts();
  end if;
  return messaging.keep_outcome(request, jsonb_build_object('contactId', kept.id));
end;
$$;
