-- What is known of a recipient before it has a slot: why it gets no message (`contact` as it is now), and
-- what its slot depends on. `contact` is a row of NULLs but for the identity of whom no contact exists yet.
-- `phone`: as the list has it. `draft`: its message.
create or replace function messaging.judge_recipient(
  instance messaging.instances, purpose text, contact messaging.contacts, phone text, draft jsonb,
  inout candidate messaging.batch_candidate
) language plpgsql stable set search_path = '' set enable_seqscan = off as $$
declare
  refusal text;
begin
  candidate.is_new := false;
  if candidate.reason is not null then
    return;
  end if;
  -- The window is judged by the slot: see reachable_until.
  refusal := messaging.send_refusal(
    contact.is_blocked,
    messaging.effective_consent(
      purpose, instance.people_scope, instance.workspace_id, contact.id, contact.identity_key,
      contact.consent_marketing, contact.consent_at
    ),
    null, null, draft->>'messageType', purpose, null
  );
  if refusal = 'contact_blocked' then
    candidate.reason := 'blocked';
  elsif refusal = 'contact_opted_out' then
    candidate.reason := 'opted_out';
  elsif phone is null and contact.phone is null and messaging.lacks_address(
    instance, contact, draft->'content'->'template'->'needsPhone' is not null
  ) then
    candidate.reason := 'recipient_needs_phone';
  elsif messaging.asks_to_pay(draft->'content') then
    candidate.reason := messaging.payment_hindrance(
      instance.id, draft->'content'->'payment', candidate.message_id
    );
  end if;
  -- With a ladder the message is decided when it leaves.
  if messaging.needs_open_window(instance.provider_class, draft->>'messageType')
    and nullif(draft->'ladder', 'null') is null then
    candidate.reachable_until := messaging.window_closes_at(contact.last_inbound_at);
  end if;
  if instance.protection->>'newContactsPerDay' is null or candidate.reason is not null then
    return;
  end if;
  candidate.is_new := candidate.contact_id is null or messaging.is_new_contact(candidate.contact_id);
  if candidate.is_new then
    select f.scheduled_at into candidate.not_before
    from messaging.first_to_new_contact(candidate.contact_id) f;
    candidate.is_new := not found;
  end if;
end;
$$;

-- Whether a message to the contact would be refused because its channel cannot address it: see
-- channel_send_address. Only for contacts without a phone.
create or replace function messaging.lacks_address(
  instance messaging.instances, contact messaging.contacts, needs_phone boolean
) returns boolean language plpgsql stable set search_path = '' as $$
begin
  perform messaging.channel_send_address(instance, contact, null, needs_phone);
  return false;
exception when sqlstate 'MI033' then
  return true;
end;
$$;
