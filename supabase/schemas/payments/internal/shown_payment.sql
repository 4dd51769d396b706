-- What a message's record shows of the payment that it asks for: what was asked, with its status and the message of
-- its code. `asked`: the part as the message keeps it.
create or replace function messaging.shown_payment(message_id uuid, asked jsonb)
returns jsonb language plpgsql stable parallel safe set search_path = '' as $$
begin
  return jsonb_build_object('payment', asked || coalesce(
    (
      select jsonb_build_object('status', p.status) || case
        when p.code_message_id is null then '{}'
        else jsonb_build_object('codeMessageId', p.code_message_id)
      end
      from messaging.payments p
      where p.message_id = shown_payment.message_id
    ),
    '{}'
  ));
end;
$$;
