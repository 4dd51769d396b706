-- What came under a provider's id before the id was this message's: delivery events that were kept, and
-- messages that an echo told of. See apply_unmatched_statuses, merge_echo_duplicates.
create or replace function messaging.provider_news(
  instance_id uuid, provider_message_id text, message_id uuid
) returns table (told_id uuid) language sql stable
begin atomic
  select null::uuid
  from messaging.unmatched_statuses as u
  where
    u.instance_id = provider_news.instance_id
    and u.provider_message_id = provider_news.provider_message_id
  union all
  select e.id
  from messaging.messages as e
  where
    e.instance_id = provider_news.instance_id
    and e.provider_message_id = provider_news.provider_message_id
    and e.id != provider_news.message_id
    and (e.is_typed_on_phone or e.confirmed_by_echo);
end;

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

-- The category by which a message is billed, before the channel has said how it bills it: that of its template, also
-- of one that went in its place (`ladder`: see decide_ladder), and without one service.
create or replace function messaging.sent_category(message_type text, purpose text, ladder jsonb)
returns text language sql immutable
return case
  when message_type = 'template' then messaging.told_purpose(purpose)
  when ladder -> 'shown' ->> 'sentAs' = 'direct_send' then 'utility'
  when ladder -> 'shown' ->> 'sentAs' = 'template' then messaging.told_purpose(
    ladder -> 'rungs' -> (ladder ->> 'place')::integer ->> 'purpose'
  )
  else 'service'
end;

-- The advisory lock of a provider's message id: the messages of an instance share 256 locks, because a
-- delivery of thousands must not exhaust the server's lock table. See lock_provider_messages.
create or replace function messaging.provider_message_lock_key(
  instance_id uuid, provider_message_id text
) returns bigint language sql immutable
return hashtextextended(instance_id::text, 0) # (hashtext(provider_message_id) & 255);
