-- {issues} where an instance's protection contradicts itself: a warm-up that begins above its target
-- (see day_limit); else NULL.
create or replace function messaging.protection_issues(protection jsonb)
returns jsonb
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
declare
  target constant integer := coalesce((protection->>'dailyLimit')::integer, 1000);
begin
  return case
    when (protection->'warmUp'->>'startPerDay')::integer > target then
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
        'path', 'protection.warmUp.startPerDay',
        'message', format('must be at most %s, to which the warm-up rises', target)
      )))
  end;
end;
$$;
