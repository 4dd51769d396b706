-- Records up to 32 sending calls in one transaction, those of them that are plain: see
-- plain_acceptances.
-- `request`: calls, each as the request of accept_message.
-- Returns {results}, one for each call: what accept_message returns, or NULL for a call of which nothing
-- was written. Those go through accept_message: what is not plain, what is to be refused, a known
-- `Idempotency-Key`, the second of two equal ones, and what would wait for its contact: a batch has calls
-- of many tenants.
-- Locks known contacts that are free, and then in the order of accept_message, and within each kind in one
-- order for all batches: keys, addresses of new contacts, contacts, conversations, agent pauses, rate
-- limits. Others hold those for some milliseconds; where it takes longer, the batch gives up.
-- Errors: 55P03 where a lock is not free, MI055 where a contact was merged or blocked meanwhile, and MI022
-- where a token may not make all its calls of the batch: each must go through accept_message.
create or replace function public.accept_messages(request jsonb)
returns jsonb language plpgsql set search_path = '' set lock_timeout = '100ms' as $$
begin
  if jsonb_array_length(request->'calls') > 32 then
    raise exception 'at most 32 calls';
  end if;
  return jsonb_build_object('results', messaging.accept_plain_calls(request->'calls'));
end;
$$;

-- Records those of the `calls` that are plain (see plain_acceptances) in few statements, each for all of
-- them: most of what an accepted message costs is the start of statements.
-- Returns the results as accept_message gives them, in the order of the calls, with NULL for each call
-- of which nothing was written.
-- Serves groups alone: a single call through it costs 1.54 times as much as by accept_message.
-- Locks and errors: see accept_messages.
-- Plans must not depend on statistics: the tables may hold ten rows or millions. The steps inherit the
-- settings below.
create or replace function messaging.accept_plain_calls(calls jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  plain messaging.acceptance[] := messaging.lock_free_contacts(
    messaging.plain_acceptances(calls, null)
  );
  has_keys boolean;
  is_incomplete boolean;
  used_tokens uuid[];
  changed uuid[];
begin
  if plain is null then
    return (select jsonb_agg(null::jsonb) from jsonb_array_elements(calls));
  end if;
  select bool_or(p.idempotency is not null),
    bool_or(p.conversation_id is null or p.has_active_agent),
    array_agg(p.token_id) filter (where p.token_id is not null and p.is_token_use_due),
    -- Who gets a conversation or whose agent is paused; a new contact needs no further note.
    array_agg(distinct p.contact_id) filter (
      where p.contact_id is not null and (p.conversation_id is null or p.has_active_agent)
    )
  into has_keys, is_incomplete, used_tokens, changed
  from unnest(plain) as p;
  if used_tokens is not null then
    perform messaging.note_token_use(used_tokens);
  end if;
  if has_keys then
    plain := messaging.take_keys(plain);
  end if;
  if is_incomplete then
    plain := messaging.complete_acceptances(calls, plain);
  end if;
  perform messaging.write_acceptances(plain);
  if changed is not null then
    perform messaging.touch_contacts(changed);
  end if;
  return messaging.describe_acceptances(plain, jsonb_array_length(calls));
end;
$$;

-- accept_messages: locks the contacts of the plain calls, in the order of their ids, against merges and
-- erasures. Returns the calls whose contact is locked now or unknown yet. Never waits: whose contact
-- another transaction holds, or has merged meanwhile, is left out.
create or replace function messaging.lock_free_contacts(plain messaging.acceptance[])
returns messaging.acceptance[] language plpgsql set search_path = '' as $$
begin
  return (
    with locked as materialized (
      select c.id from messaging.contacts c
      where c.id = any (array(select p.contact_id from unnest(plain) as p))
        and c.merged_into is null
      order by c.id
      for key share skip locked
    )
    select array_agg(p order by p.place)
    from unnest(plain) as p
    where p.contact_id is null or p.contact_id = any (array(select l.id from locked l))
  );
end;
$$;

-- accept_messages: takes the `Idempotency-Key`s of the immediate calls, as begin_idempotent does for one.
-- Returns the calls that may be executed: those without a key, and those with a new one. A known key's
-- call, and the second of two with one key, are left out. Waits for a simultaneous call with the same key,
-- in the order of the keys.
create or replace function messaging.take_keys(plain messaging.acceptance[])
returns messaging.acceptance[] language plpgsql set search_path = '' as $$
declare
  first_ones messaging.acceptance[];
begin
  with taken as (
    insert into messaging.idempotency_keys (scope, key, fingerprint, message_id)
    select p.idempotency->>'scope', p.idempotency->>'key', p.idempotency->>'fingerprint',
      p.message_id
    from unnest(plain) as p
    where p.idempotency is not null
    order by p.idempotency->>'scope', p.idempotency->>'key', p.place
    on conflict on constraint idempotency_keys_pkey do nothing
    returning message_id
  )
  select array_agg(p order by p.place) into first_ones
  from unnest(plain) as p
  where p.idempotency is null or p.message_id in (select t.message_id from taken t);
  return first_ones;
end;
$$;

-- accept_messages: stores the messages of the plain calls with their claims, and the outcomes under the
-- calls' keys. The caller holds the contacts.
create or replace function messaging.write_acceptances(plain messaging.acceptance[])
returns void language plpgsql set search_path = '' as $$
begin
  perform messaging.add_outbound_messages(array(
    select row(
      p.message_id, p.instance_id, p.contact_id, p.conversation_id, p.message, p.operator_id, null,
      'sent', (p.delivery->>'intervalSeconds')::integer, null, null, p.phone_given, null, null,
      p.claim_token, (p.delivery->>'leaseSeconds')::double precision
    )::messaging.outbound_message
    from unnest(plain) as p
  ));
  if exists (select from unnest(plain) as p where p.idempotency is not null) then
    update messaging.idempotency_keys k
    set outcome = messaging.accepted_outcome(
      'sent', p.contact_id, p.conversation_id, null, null, p.message_id, null, null, p.paused_until,
      p.time_zone, null, null
    ) - '{claimToken,to}'::text[]
    from unnest(plain) as p
    where k.scope = any (array[p.idempotency->>'scope'])
      and k.key = any (array[p.idempotency->>'key']);
  end if;
end;
$$;

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
