-- Part of an erasure: looks through the next `max_rows` kept calls of the instance's tokens and of the
-- admin API, and empties those about the person: a repeated call is answered contact_erased, so that it
-- sends nothing a second time. A key that names the person goes whole. `after` {scope, key} and the
-- result as in sweep_provider_events.
create or replace function messaging.sweep_idempotency_keys(
  of_instance uuid,
  pattern text,
  after jsonb,
  max_rows integer
)
returns jsonb
language plpgsql
set search_path = ''
set enable_bitmapscan = off
as $$
declare
  in_scope text;
  seen record;
  last_key text;
  rows_seen integer := 0;
  erased integer := 0;
begin
  for in_scope in
    select s.scope
    from (
      select t.id::text as scope from messaging.client_tokens t where t.instance_id = of_instance
      union all
      select 'admin'
    ) as s
    where s.scope >= coalesce(after->>'scope', '')
    order by s.scope
  loop
    for seen in
      select k.key, k.key ~* pattern as is_key_hit,
        coalesce(k.outcome::text ~ pattern, false) or coalesce(k.response::text ~ pattern, false) as is_hit
      from messaging.idempotency_keys k
      where k.scope = in_scope
        and k.key > case when in_scope = after->>'scope' then after->>'key' else '' end
      order by k.scope, k.key
      limit max_rows - rows_seen
    loop
      rows_seen := rows_seen + 1;
      last_key := seen.key;
      if seen.is_key_hit then
        delete from messaging.idempotency_keys k where k.scope = in_scope and k.key = seen.key;
      elsif seen.is_hit then
        update messaging.idempotency_keys k
        set fingerprint = '', outcome = '{"isErased": true}', response = null, message_id = null,
          attempt = null
        where k.scope = in_scope and k.key = seen.key;
      end if;
      erased := erased + (seen.is_key_hit or seen.is_hit)::integer;
    end loop;
    exit when rows_seen = max_rows;
  end loop;
  return messaging.swept(
    'idempotencyBodies', erased,
    case when rows_seen = max_rows then jsonb_build_object('scope', in_scope, 'key', last_key) end
  );
end;
$$;
