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
