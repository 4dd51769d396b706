-- Which of these identities (see denial_identities) kept_denials knows at the instances `keeping`, and since when.
-- The caller of the RPC gives the identities' hashes: see take_denial_hashes.
-- Errors: MI037 where hashes are kept and those of an identity were not given: the call must be repeated
-- with them. Its detail says for which instances and identities.
create or replace function messaging.known_denials(keeping uuid[], identities text[])
returns table (identity_key text, kept_at timestamptz) language plpgsql stable set search_path = ''
set enable_seqscan = off as $$
declare
  given constant jsonb := nullif(current_setting('messaging.denial_hashes', true), '')::jsonb;
begin
  if cardinality(keeping) > 0 and (given ?& identities) is not true then
    raise exception using errcode = 'MI037', message = 'denial_hashes_needed',
      detail = jsonb_build_object('instanceIds', keeping, 'identities', identities)::text;
  end if;
  return query
  select known.identity_key, max(d.kept_at)
  from unnest(identities) as known(identity_key)
  cross join lateral jsonb_array_elements_text(
    case jsonb_typeof(given->known.identity_key)
      when 'array' then given->known.identity_key
      else jsonb_build_array(given->known.identity_key)
    end
  ) as hash
  join messaging.kept_denials d on d.instance_id = any (keeping) and d.identity_hash = hash
  group by known.identity_key;
end;
$$;
