-- The error of a message for which no rung was left, with what was wrong with each. `passed`: see
-- decide_ladder.
create or replace function messaging.exhausted_error(passed jsonb)
returns jsonb language plpgsql immutable set search_path = '' as $$
begin
  return jsonb_build_object(
    'code', 'outside_conversation_window',
    'message', 'The conversation window is closed, and no rung of outsideWindow was left: ' || (
      select string_agg((p.one->>'rung') || ' (' || (p.one->>'reason') || ')', ', ' order by p.place)
      from jsonb_array_elements(passed) with ordinality as p(one, place)
    )
  );
end;
$$;
