-- Whether a message of this purpose is marketing to a contact that has denied it.
create or replace function messaging.denies_marketing(consent_marketing text, purpose text)
returns boolean language sql immutable
return coalesce(purpose = 'marketing' and consent_marketing = 'denied', false);
