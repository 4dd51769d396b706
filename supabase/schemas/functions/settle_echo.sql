-- Decides whose words an event was that a message kept while it was in flight (see claim_own_echo),
-- now that its outcome is settled. The id of the answer tells; without an answer the echo proves that
-- the message has arrived. Another one's, it is recorded as if it came now: of another message in
-- doubt, or of a person.
create or replace function public.settle_echo(
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
  instance public.instances;
begin
  if settle_echo.provider_message_id = echo->>'providerMessageId' then
    return;
  end if;
  select i.* into strict instance
  from public.messages m
  join public.instances i on i.id = m.instance_id
  where m.id = settle_echo.message_id;
  perform public.lock_provider_messages(
    array[instance.id], array[echo->>'providerMessageId']
  );
  if outcome <> 'unknown' then
    perform public.record_message_event(instance, echo);
  elsif public.advance_message(
    settle_echo.message_id, echo->>'providerMessageId', 'sent', clock_timestamp(), null
  ) then
    perform public.take_early_statuses(array[settle_echo.message_id]);
  end if;
end;
$$;
revoke all on function public.settle_echo(uuid, text, text, jsonb) from public, anon, authenticated;
grant execute on function public.settle_echo(uuid, text, text, jsonb) to service_role;
