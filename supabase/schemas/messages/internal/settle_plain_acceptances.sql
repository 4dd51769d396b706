-- settle_messages: settles, with a few plain statements, the results of immediate sends that nothing
-- has happened to but that the provider accepted them: the claim holds, no delivery event has moved the
-- message on, no echo is kept. Most settlements are of this kind; what a settlement costs is mostly the
-- start of its statements. `results` as in settle_messages, none with an address.
-- Returns the ids of those that were settled. The caller settles the others, holding their locks.
-- Locks: provider message ids, queue rows with their messages in the order of their ids.
create or replace function messaging.settle_plain_acceptances(results jsonb, clock timestamptz)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  result jsonb;
  ids uuid[];
  tokens uuid[];
  provider_ids text[];
  plain uuid[];
begin
  for place in 0..jsonb_array_length(results) - 1 loop
    result := results->place;
    ids := ids || (result->>'messageId')::uuid;
    tokens := tokens || (result->>'claimToken')::uuid;
    provider_ids := provider_ids || (result->>'providerMessageId');
  end loop;
  -- "= any (ids)", not a join: no plan reads the whole queue.
  select array_agg(locked.message_id) filter (where locked.is_plain) into plain
  from (
    select q.message_id,
      q.max_attempts = 1 and q.echo is null and m.status = 'sending' as is_plain
    from messaging.message_queue q
    join messaging.messages m on m.id = q.message_id
    where q.message_id = any (ids)
      and q.claim_token = tokens[array_position(ids, q.message_id)]
    order by q.message_id
    for no key update of q, m
  ) as locked;
  if plain is null then
    return '{}';
  end if;
  delete from messaging.message_queue q where q.message_id = any (plain);
  update messaging.messages m
  set status = 'sent',
    sent_at = coalesce(m.sent_at, clock),
    provider_message_id = coalesce(
      provider_ids[array_position(ids, m.id)], m.provider_message_id
    ),
    attempts = least(m.attempts::integer + 1, 32767),
    lost_claim_token = null,
    last_error = null,
    is_retryable = false
  where m.id = any (plain);
  -- What came under these provider ids before they were known.
  if exists (select from messaging.unmatched_statuses) or exists (
    select from messaging.messages m
    join messaging.messages e on e.instance_id = m.instance_id
      and e.provider_message_id = m.provider_message_id
    where m.id = any (plain) and e.id <> m.id and (e.is_typed_on_phone or e.confirmed_by_echo)
  ) then
    perform messaging.apply_unmatched_statuses(plain);
    perform messaging.merge_echo_duplicates(plain);
  end if;
  return plain;
end;
$$;
revoke all
on function messaging.settle_plain_acceptances(jsonb, timestamptz)
from public, anon, authenticated;
grant execute
on function messaging.settle_plain_acceptances(jsonb, timestamptz)
to service_role;
