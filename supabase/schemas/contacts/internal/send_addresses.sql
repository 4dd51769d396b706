-- Where a message to the contact goes on this instance's channel: contact_send_address where the channel
-- can address it, else the phone last proven, else the phone as given. User ids (BSUID) exist on the
-- official channel alone, LIDs on gateways alone; `needs_phone` is for messages that go to phones only.
-- Errors: MI033 where there is no such address.
create or replace function messaging.channel_send_address(
  instance messaging.instances, contact messaging.contacts, phone_given text, needs_phone boolean
) returns text language plpgsql stable set search_path = '' as $$
declare
  is_official constant boolean := instance.provider_class = 'official';
  address text := messaging.contact_send_address(contact, phone_given);
begin
  if address ~ '^[0-9]+$' or (
    not needs_phone
    and address !~ case when is_official then '@lid$' else '^[A-Z]{2}\.(ENT\.)?[0-9A-Za-z]{1,128}$' end
  ) then
    return address;
  end if;
  address := coalesce(
    (select p.address from messaging.proven_address(contact.id, true) as p),
    phone_given,
    contact.phone
  );
  if address is null then
    raise exception using errcode = 'MI033', message = 'recipient_needs_phone';
  end if;
  return address;
end;
$$;

-- Where a message to the contact goes: the address last proven to work, else the phone as the call
-- gave it, else (NULL) as the contact was first given (decisions, section 3), else its hidden identity.
create or replace function messaging.contact_send_address(
  contact messaging.contacts, phone_given text
) returns text language plpgsql stable set search_path = '' as $$
begin
  return coalesce(
    (select p.address from messaging.proven_address(contact.id, false) as p),
    phone_given,
    contact.phone,
    contact.identity_key
  );
end;
$$;

-- The phone to show for a contact: see shown_contact.
create or replace function messaging.contact_display_phone(contact messaging.contacts)
returns text language plpgsql stable set search_path = '' as $$
begin
  return (select s.phone from messaging.shown_contact(contact) as s);
end;
$$;
