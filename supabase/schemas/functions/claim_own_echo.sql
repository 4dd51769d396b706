-- Some gateways report what we send through their API as if it had been typed on the phone, even
-- before they answer the call. An echo with the same words as a message of ours to that contact
-- which is in flight or unconfirmed is that message: it takes the provider's id and counts as sent.
-- Returns whether it was one.
create or replace function public.claim_own_echo(instance_id uuid, contact_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  own_id uuid;
begin
  select m.id into own_id
  from public.messages m
  left join public.message_queue q on q.message_id = m.id
  where m.instance_id = claim_own_echo.instance_id
    and m.contact_id = claim_own_echo.contact_id
    and m.direction = 'outbound'
    and m.provider_message_id is null
    and m.created_at > clock_timestamp() - interval '2 days'
    and (q.claim_token is not null or m.status = 'unconfirmed')
    and m.message is not distinct from event->>'message'
    and (m.message is not null or m.message_type = event->>'messageType')
  order by m.created_at
  limit 1;
  if own_id is null then
    return false;
  end if;
  perform public.advance_message(
    own_id, event->>'providerMessageId', 'sent', clock_timestamp(), null
  );
  return true;
end;
$$;
revoke all on function public.claim_own_echo(uuid, uuid, jsonb) from public, anon, authenticated;
grant execute on function public.claim_own_echo(uuid, uuid, jsonb) to service_role;
