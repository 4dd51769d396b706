-- Size of a JSON object in bytes as compact JSON in UTF-8: exact to the values of its members, which
-- count as Postgres writes them.
create or replace function messaging.object_bytes(object jsonb)
returns bigint language sql immutable parallel safe set search_path = '' as $$
  select coalesce(sum(octet_length(to_jsonb(m.key)::text) + octet_length(m.value::text) + 2), 0) + 1
  from jsonb_each(object) as m;
$$;
