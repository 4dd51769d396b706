-- Whether a message about a payment, refused as the channel's own, is to go as text: the refusal is about this form,
-- and the call left the form to the service. `error`: {code, message, meaning}.
create or replace function messaging.gives_way_to_text(message messaging.messages, error jsonb)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return coalesce(error->>'meaning' in ('message_type_refused', 'parameter_refused'), false)
    and coalesce(message.content->>'rendering' = 'native', false)
    and (
      message.message_type = 'payment_status'
      or exists (
        select from messaging.payments p where p.message_id = message.id and p.falls_back
      )
    );
end;
$$;
