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
