-- Whether a word of its person is to become a living contact's consent: it says another thing, and the contact
-- has said nothing newer.
create or replace function messaging.is_untold(
  contact messaging.contacts, word messaging.person_words
) returns boolean language sql immutable
return contact.merged_into is null
and contact.consent_marketing != word.marketing
and (contact.consent_at is null or contact.consent_at <= word.said_at);
