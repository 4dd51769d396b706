-- How long before its expiresAt a payment request leaves at the latest.
create or replace function messaging.payment_lead()
returns interval language sql immutable parallel safe
return interval '5 minutes';
