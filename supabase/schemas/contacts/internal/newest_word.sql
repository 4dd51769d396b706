-- The newest word of a person in a workspace; a row of NULLs for none. Of two of one instant the one that was
-- recorded later.
create or replace function messaging.newest_word(workspace_id uuid, identity_keys text[])
returns messaging.person_words language plpgsql stable set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  word messaging.person_words;
begin
  select newest.* into word
  from unnest(identity_keys) as known(identity_key)
  cross join lateral (
    select w.*
    from messaging.person_words w
    where w.workspace_id = newest_word.workspace_id and w.identity_key = known.identity_key
    order by w.said_at desc, w.id desc
    limit 1
  ) as newest
  order by newest.said_at desc, newest.id desc
  limit 1;
  return word;
end;
$$;
