-- Whether a message of ours with this content asks for a payment: a payment request, and a template with such
-- a button. What arrives says nothing of the goods.
create or replace function messaging.asks_to_pay(content jsonb)
returns boolean language sql immutable
return coalesce(content -> 'payment' ? 'goods', false);
