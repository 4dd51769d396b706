-- contacts-api consent: records what a contact has said about marketing messages; see change_consent.
-- `request`: instanceId, one of phone, contactId and userId, marketing, source, evidence, idempotency.
-- Creates the contact of an unknown phone or user id.
-- Returns the outcome: contactId, consent {marketing, at, source}; or {replayed}.
-- Errors: MI007, MI008, MI031.
create or replace function public.set_contact_consent(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  replayed constant jsonb := messaging.begin_idempotent(request);
  contact messaging.contacts;
  outcome jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  select (r.contact).* into contact
  from messaging.resolve_recipient((request->>'instanceId')::uuid, request) r;
  perform messaging.change_consent(
    contact.id,
    jsonb_build_object(
      'marketing', request->'marketing',
      'source', request->'source',
      'evidence', request->'evidence'
    )
  );
  select jsonb_build_object(
    'contactId', c.id, 'consent', messaging.describe_consent(c, i.time_zone)
  )
  into outcome
  from messaging.contacts c
  join messaging.instances i on i.id = c.instance_id
  where c.id = contact.id;
  perform messaging.touch_noted_contacts();
  return messaging.keep_outcome(request, outcome);
end;
$$;
