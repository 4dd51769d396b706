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
