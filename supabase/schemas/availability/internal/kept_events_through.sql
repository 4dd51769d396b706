-- Where a reader of the feed goes on whose cursor stands at an event that a promotion has lost, or beyond every
-- number that was drawn here, as after a restore; NULL for any other cursor, and none. No event was passed by: the
-- numbers of what came after are higher (see note_server).
create or replace function messaging.kept_events_through(cursor_number bigint)
returns bigint language sql stable set search_path = '' as $$
  select coalesce(
    (
      select s.events_through from messaging.database_servers s
      where s.lacks_commits
        and cursor_number > s.events_through and cursor_number <= s.events_before
      order by s.id
      limit 1
    ),
    (
      select d.last_drawn
      from (
        select coalesce(pg_sequence_last_value('messaging.event_sequence'), 0) as last_drawn
      ) as d
      where cursor_number > d.last_drawn
    )
  );
$$;
