-- admin-api: the issues to answer for a time zone that is_time_zone does not know.
create or replace function messaging.time_zone_issues()
returns jsonb
language sql
immutable
parallel safe
set search_path = ''
as $$
  select jsonb_build_object('issues', jsonb_build_array(jsonb_build_object(
    'path', 'timeZone', 'message', 'must be the name of an IANA time zone, such as America/Sao_Paulo'
  )));
$$;
