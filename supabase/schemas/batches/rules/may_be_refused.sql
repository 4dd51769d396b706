-- Whether judge_recipient may find a reason not to write to a contact of a batch: of all others it finds none, and a
-- call of it takes longer than all else.
create or replace function messaging.may_be_refused(
  is_blocked boolean, phone text, consent_marketing text, people_scope text, purpose text
) returns boolean language sql immutable
return coalesce(
  is_blocked
  or phone is null
  or consent_marketing = 'denied'
  or people_scope = 'workspace'
  and purpose = 'marketing',
  false
);
