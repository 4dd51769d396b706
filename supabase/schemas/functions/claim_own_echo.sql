-- Some gateways report what we send through their API as if it had been typed on the phone, even
-- before they answer the call. An echo with the same words as a message of ours to that contact which
-- is in flight or unconfirmed is ours. Where it can be one message alone, that takes the provider's id
-- and counts as sent; of several with the same words nobody knows which it is, and the provider's
-- answer to each will tell. Returns whether the echo was ours.
create or replace function public.claim_own_echo(instance_id uuid, contact_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  candidates uuid[];
begin
  select array_agg(m.id) into candidates
  from public.messages m
  left join public.message_queue q on q.message_id = m.id
  where m.instance_id = claim_own_echo.instance_id
    and m.contact_id = claim_own_echo.contact_id
    and m.direction = 'outbound'
    and m.provider_message_id is null
    and m.created_at > clock_timestamp() - interval '2 days'
    and (q.claim_token is not null or m.status = 'unconfirmed')
    and m.message is not distinct from event->>'message'
    and (m.message is not null or m.message_type = event->>'messageType');
  if candidates is null then
    return false;
  end if;
  if cardinality(candidates) = 1 then
    perform public.advance_message(
      candidates[1], event->>'providerMessageId', 'sent', clock_timestamp(), null
    );
    perform public.take_early_statuses(candidates);
  end if;
  return true;
end;
$$;
revoke all on function public.claim_own_echo(uuid, uuid, jsonb) from public, anon, authenticated;
grant execute on function public.claim_own_echo(uuid, uuid, jsonb) to service_role;
