-- Why words of the service may not go to a contact now, as the error's code; NULL where they may. On the official
-- channel a contact of whom no message is known counts as outside the window.
create or replace function messaging.words_refusal(
  instance messaging.instances, contact_id uuid, clock timestamptz
) returns text language plpgsql stable set search_path = '' as $$
begin
  return (
    select case
      when c.is_blocked then 'contact_blocked'
      when not messaging.is_window_open(instance.provider_class, c.last_inbound_at, null, clock)
        then 'outside_conversation_window'
    end
    from messaging.contacts c
    where c.id = words_refusal.contact_id
  );
end;
$$;
