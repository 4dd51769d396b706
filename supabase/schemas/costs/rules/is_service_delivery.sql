-- Whether a message counts off the month's free service messages: it was delivered, is billed as service,
-- and nothing else makes it free.
create or replace function messaging.is_service_delivery(delivered_at timestamptz, pricing jsonb)
returns boolean language sql immutable
return coalesce(
  delivered_at is not null
  and lower(pricing ->> 'category') = 'service'
  and not messaging.free_by_channel(pricing),
  false
);
