-- A message that may be sent: its recipient and its instant. See estimate_sends.
create type messaging.planned_send as (
  phone text,
  sent_at timestamptz,
  is_estimated boolean,
  category text
);
comment on type messaging.planned_send is
  'phone is that of the contact, NULL where it is not known; without is_estimated it only takes one of the month''s free service messages; category is NULL where it is that of all others.';
