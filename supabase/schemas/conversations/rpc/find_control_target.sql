-- conversations-api control: whom the channel is to be asked about. `request`: instanceId, phone | contactId |
-- userId, idempotency. Returns {contactId, to}; `to` is NULL where the channel has no address of the person; or
-- {replayed}, what the first call with this key has decided. Creates no contact.
-- Errors: MI007, MI008, MI031 (also for an unknown phone or user id), MI035.
create or replace function public.find_control_target(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  replayed constant jsonb := case
    when nullif(request->'idempotency', 'null') is not null then messaging.recall_idempotent(request)
  end;
  contact messaging.contacts;
begin
  if replayed is not null then
    return replayed;
  end if;
  contact := messaging.find_recipient((request->>'instanceId')::uuid, request);
  if contact.id is null then
    raise exception using errcode = 'MI031', message = 'contact_not_found';
  end if;
  return jsonb_build_object(
    'contactId', contact.id, 'to', messaging.contact_send_address(contact, null)
  );
end;
$$;
