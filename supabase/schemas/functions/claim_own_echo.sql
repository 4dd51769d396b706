-- Some gateways report what we send through their API as if it had been typed on the phone, even
-- before they answer the call. An echo with the same words as a message of ours to that contact which
-- is in flight, or has been unconfirmed for some minutes, is ours. It proves that one of them has
-- arrived: the one in flight, else the oldest unconfirmed one takes the provider's id and counts as
-- sent. Where the answer then tells another id, the echo was another one's: settle_messages comes here
-- again. Of several in flight nobody knows which it is; their answers will tell. Media without a caption
-- have no words, so only one in flight is taken for the echo.
-- Returns whether the echo was ours.
create or replace function public.claim_own_echo(instance_id uuid, contact_id uuid, event jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  clock constant timestamptz := clock_timestamp();
  candidates uuid[];
  in_flight integer;
begin
  select array_agg(m.id order by q.claim_token is null, m.unconfirmed_at, m.created_at),
    count(q.claim_token)
  into candidates, in_flight
  from public.messages m
  left join public.message_queue q on q.message_id = m.id
  where m.instance_id = claim_own_echo.instance_id
    and m.contact_id = claim_own_echo.contact_id
    and m.direction = 'outbound'
    and m.status in ('queued', 'sending', 'unconfirmed')
    -- A retried message has the id of the attempt that failed.
    and m.provider_message_id is distinct from event->>'providerMessageId'
    and m.created_at > clock - interval '2 days'
    and (
      q.claim_token is not null
      or (m.message is not null and m.unconfirmed_at > clock - interval '15 minutes')
    )
    -- Gateways trim.
    and btrim(regexp_replace(m.message, '\s+', ' ', 'g'))
      is not distinct from btrim(regexp_replace(event->>'message', '\s+', ' ', 'g'))
    and (m.message is not null or m.message_type = event->>'messageType');
  if candidates is null then
    return false;
  end if;
  if in_flight <= 1 then
    perform public.advance_message(
      candidates[1], event->>'providerMessageId', 'sent', clock, null
    );
    perform public.take_early_statuses(candidates[1:1]);
  end if;
  return true;
end;
$$;
revoke all on function public.claim_own_echo(uuid, uuid, jsonb) from public, anon, authenticated;
grant execute on function public.claim_own_echo(uuid, uuid, jsonb) to service_role;
