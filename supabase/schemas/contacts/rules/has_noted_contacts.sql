-- Whether touch_noted_contacts has anything to do in this transaction.
create or replace function messaging.has_noted_contacts()
returns boolean language sql stable
return concat(
  current_setting('messaging.sent_contacts', true),
  current_setting('messaging.noted_contacts', true),
  current_setting('messaging.noted_persons', true)
) != '';
