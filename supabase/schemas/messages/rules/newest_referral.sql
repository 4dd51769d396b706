-- The ad or post that brought a contact last: `referral` of its newest message that has one. No row for a
-- contact that none has brought.
create or replace function messaging.newest_referral(contact_id uuid)
returns table (referral jsonb) language sql stable
begin atomic
  select m.content -> 'referral'
  from messaging.messages as m
  where m.contact_id = newest_referral.contact_id and m.content ? 'referral'
  order by m.sent_at desc, m.created_at desc
  limit 1;
end;
