-- settle_messages: whether an answer of `results` shows something about a contact's address that is not
-- recorded yet; prove_answered_addresses would write nothing for the others, and assign_contact_phone
-- neither. Reads only. `results` as in settle_messages.
-- Joins by `= any (array[...])`: see claim_due_messages.
create or replace function messaging.shows_new_address(results jsonb, clock timestamptz)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  perform from jsonb_to_recordset(results) as r("messageId" uuid, "waId" text)
  join messaging.messages m on m.id = any (array[r."messageId"])
  join messaging.contacts c on c.id = any (array[m.contact_id])
  left join lateral (
    select a.address, a.proven_at from messaging.contact_addresses a
    where a.contact_id = c.id
    order by a.proven_at desc
    limit 1
  ) as newest on true
  where r."waId" is not null and (
    c.phone is null
    or newest.address is distinct from r."waId"
    or newest.proven_at < clock - interval '1 day'
  )
  limit 1;
  return found;
end;
$$;
