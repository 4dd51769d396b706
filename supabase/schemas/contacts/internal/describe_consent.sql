-- A contact's consent to marketing as answers and events show it: {marketing, at, source}.
create or replace function messaging.describe_consent(contact messaging.contacts, time_zone text)
returns jsonb language plpgsql stable parallel safe set search_path = '' as $$
begin
  return jsonb_build_object(
    'marketing', contact.consent_marketing,
    'at', messaging.iso_in_zone(contact.consent_at, time_zone),
    'source', contact.consent_source
  );
end;
$$;
