-- Finds, or creates, the contact that a call changes: see find_or_add_recipient. One that was there is locked,
-- and `before` is its state, for end_contact_change. Errors: MI031, MI035, MI037, MI055.
create or replace function messaging.begin_contact_change(
  request jsonb, out contact_id uuid, out is_new boolean, out before jsonb
) language plpgsql set search_path = '' as $$
begin
  select (r.contact).id, r.is_new into contact_id, is_new
  from messaging.find_or_add_recipient((request->>'instanceId')::uuid, request) r;
  if not is_new then
    perform from messaging.contacts c where c.id = contact_id for no key update;
    before := messaging.contact_state(contact_id);
  end if;
end;
$$;
