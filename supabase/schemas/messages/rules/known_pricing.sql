-- How a message is billed, as far as is known after a delivery event of `status` that tells `told` (NULL
-- where it tells nothing). What the official channel has told first stays. Until it tells, a message that
-- has arrived there is billed by `sent_category`, see the rule of that name. NULL for gateways, which bill no
-- message. The market comes with the price: see count_notes.
create or replace function messaging.known_pricing(
  former jsonb, told jsonb, status text, is_official boolean, sent_category text
) returns jsonb language sql immutable
return case
  when told is not null
  and former ->> 'source' is distinct from 'channel' then told || '{"source": "channel"}'
  when former is null
  and is_official
  and status in (
    'delivered',
    'read'
  ) then '{"type": null, "model": null, "source": "derived"}'::jsonb || (
    '{"category": "' || sent_category || '"}'
  )::jsonb
  else former
end;
