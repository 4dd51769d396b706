-- Decides whose words an event was that a message kept while it was in flight (see match_echo),
-- now that its outcome is settled. The id of the answer tells; without an answer the echo proves that
-- the message has arrived. Another one's, it is recorded as if it came now: of another message in
-- doubt, or of a person.
create or replace function messaging.resolve_pending_echo(
  message_id uuid,
  outcome text,
  provider_message_id text,
  echo jsonb
)
returns void
language plpgsql
set search_path = ''
as $$
declare
  own messaging.messages;
  instance messaging.instances;
begin
  if resolve_pending_echo.provider_message_id = echo->>'providerMessageId' then
    return;
  end if;
  select m.* into strict own from messaging.messages m where m.id = resolve_pending_echo.message_id;
  select i.* into strict instance from messaging.instances i where i.id = own.instance_id;
  perform messaging.lock_provider_messages(
    array[instance.id], array[echo->>'providerMessageId']
  );
  if exists (
    select from messaging.messages m
    where m.instance_id = instance.id
      and m.provider_message_id = echo->>'providerMessageId' and m.id <> own.id
  ) then
    return;
  end if;
  -- Echoes of the same words may have been kept crosswise: this message's own by another one. One that
  -- is being settled itself sees to what it keeps.
  update messaging.message_queue q
  set echo = null
  where q.message_id in (
    select w.message_id
    from messaging.messages m
    join messaging.message_queue w on w.message_id = m.id
    where m.instance_id = own.instance_id and m.contact_id = own.contact_id and m.sent_at is null
      and w.echo->>'providerMessageId' = resolve_pending_echo.provider_message_id
    for no key update of w skip locked
  );
  if outcome <> 'unknown' and echo->>'kind' = 'status' then
    perform messaging.record_status_event(instance.id, echo);
  elsif outcome <> 'unknown' then
    perform messaging.record_message_event(instance, echo);
  else
    perform messaging.confirm_by_echo(resolve_pending_echo.message_id, echo);
  end if;
end;
$$;
revoke all
on function messaging.resolve_pending_echo(uuid, text, text, jsonb)
from public, anon, authenticated;
grant execute on function messaging.resolve_pending_echo(uuid, text, text, jsonb) to service_role;
