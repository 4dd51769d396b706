-- The dispatcher: ends the turns whose person was quiet long enough, or that have lasted as long as they may, by
-- conversation.turn (see tell_turn). Takes at most `request`.maxTurns of those that are due, the longest due first;
-- none that another session holds, so it waits for nobody.
-- Returns {ended, isComplete}: how many, and whether nothing is left that is due.
create or replace function public.end_turns(request jsonb)
returns jsonb language plpgsql set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  clock constant timestamptz := clock_timestamp();
  most constant integer := (request->>'maxTurns')::integer;
  turn messaging.conversation_turns;
  ended integer := 0;
begin
  for turn in
    with due as materialized (
      select t.contact_id from messaging.conversation_turns t
      where t.due_at <= clock
      order by t.due_at
      limit most
      for update skip locked
    ),
    gone as (
      delete from messaging.conversation_turns t using due
      where t.contact_id = any (array[due.contact_id])
      returning t.*
    )
    select gone.* from gone order by gone.due_at, gone.contact_id
  loop
    ended := ended + 1;
    perform messaging.tell_turn(turn, turn.due_at);
  end loop;
  return jsonb_build_object('ended', ended, 'isComplete', ended < most);
end;
$$;
