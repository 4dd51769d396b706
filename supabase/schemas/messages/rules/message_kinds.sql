-- Whether a message of ours with this content asks for a payment: a payment request, and a template with such
-- a button. What arrives says nothing of the goods.
create or replace function messaging.asks_to_pay(content jsonb)
returns boolean language sql immutable
return coalesce(content -> 'payment' ? 'goods', false);

-- Whether a received message counts as a reply, by its type: a reaction and a call are none.
create or replace function messaging.is_reply(message_type text)
returns boolean language sql immutable parallel safe
return message_type not in ('reaction', 'call');

-- The purpose of a message as answers show it: the caller's, or `service`. This service's own answer to a
-- keyword is one, and so is an agent's answer.
create or replace function messaging.told_purpose(purpose text)
returns text language sql immutable
return case
  when purpose in ('marketing', 'utility', 'authentication') then purpose
  else 'service'
end;
