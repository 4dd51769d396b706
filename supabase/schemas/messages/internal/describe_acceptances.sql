-- accept_messages: the results of the plain calls in the order of the request, with NULL for each of the
-- `calls` that is not among them. Counts the calls that this transaction has authenticated: those of one
-- token and function at once, and each gets what then remains for it.
-- Locks rate limits, in one order for all batches, after everything else: they are held while the
-- transaction commits.
-- Errors: MI022 where an allowance does not suffice for all of them.
create or replace function messaging.describe_acceptances(
  plain messaging.acceptance[], calls integer
) returns jsonb language plpgsql set search_path = '' as $$
declare
  counted_at timestamptz;
  limits jsonb := '{}';
  spent record;
  whole_at timestamptz;
begin
  for spent in
    select p.token_id, p.function_name, p.requests_per_minute, array_agg(p.place order by p.place) as places
    from unnest(plain) as p
    where p.token_id is not null
    group by p.token_id, p.function_name, p.requests_per_minute
    order by p.token_id, p.function_name
  loop
    whole_at := null;
    if spent.requests_per_minute is not null then
      whole_at := messaging.spend_requests(
        spent.token_id, spent.function_name, spent.requests_per_minute, cardinality(spent.places)
      );
      if whole_at is null then
        raise exception using errcode = 'MI022', message = 'authenticate_anew';
      end if;
    end if;
    counted_at := clock_timestamp();
    limits := limits || (
      select jsonb_object_agg(counted.place, jsonb_build_object('rateLimit', case
        when whole_at is not null then messaging.describe_rate_limit(
          spent.requests_per_minute,
          messaging.allowance_seconds_left(
            spent.requests_per_minute, whole_at, cardinality(spent.places) - counted.number,
            counted_at
          ),
          true
        )
      end))
      from unnest(spent.places) with ordinality as counted(place, number)
    );
  end loop;
  return (
    select jsonb_agg(
      case when p.place is not null then
        messaging.accepted_outcome(
          'sent', p.contact_id, p.conversation_id, null, null, p.message_id, null, null,
          p.paused_until, p.time_zone, p.claim_token, coalesce(p.send_address, p.phone)
        ) || coalesce(limits->p.place::text, '{}')
      end
      order by numbers.place
    )
    from generate_series(1, describe_acceptances.calls) as numbers(place)
    left join unnest(plain) as p on p.place = numbers.place
  );
end;
$$;
