-- Why a message may not go to a contact now, as the error's code; NULL where it may. In the order of
-- refusals: blocked; a closed window, where the contact's last message is known; marketing denied.
create or replace function messaging.send_refusal(
  is_blocked boolean, consent_marketing text, last_inbound_at timestamptz, provider_class text,
  message_type text, purpose text, clock timestamptz
) returns text language sql stable
return case
  when is_blocked then 'contact_blocked'
  when messaging.needs_open_window(provider_class, message_type)
  and messaging.window_closes_at(last_inbound_at) < clock then 'outside_conversation_window'
  when messaging.denies_marketing(consent_marketing, purpose) then 'contact_opted_out'
end;
