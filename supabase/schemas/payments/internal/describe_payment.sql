-- A payment as messages-api reports it, with instants in the time zone of its instance.
create or replace function messaging.describe_payment(payment messaging.payments)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  zone constant text := (
    select i.time_zone from messaging.instances i where i.id = payment.instance_id
  );
begin
  return jsonb_build_object(
    'messageId', payment.message_id,
    'reference', payment.reference,
    'amount', payment.amount::text,
    'currency', payment.currency,
    'status', payment.status,
    'codeMessageId', payment.code_message_id,
    'createdAt', messaging.iso_in_zone(payment.created_at, zone),
    'expiresAt', messaging.iso_in_zone(payment.expires_at, zone),
    'paidAt', messaging.iso_in_zone(payment.paid_at, zone),
    'changedAt', messaging.iso_in_zone(payment.changed_at, zone)
  ) || messaging.read_message_contact(payment.contact_id);
end;
$$;
