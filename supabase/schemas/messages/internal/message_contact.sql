-- The contact as a message's record and its events show it: {contact: {contactId, phone, name, userId,
-- username, lid}}. `identities` as shown_identities; NULL for none. Reads no table.
create or replace function messaging.message_contact(
  contact_id uuid, phone text, name text, identities jsonb
) returns jsonb language plpgsql immutable parallel safe set search_path = '' as $$
begin
  return jsonb_build_object('contact', jsonb_build_object(
    'contactId', contact_id,
    'phone', phone,
    'name', name,
    'userId', identities->'userId',
    'username', identities->'username',
    'lid', identities->'lid'
  ));
end;
$$;
