-- When the next message is due: how long the dispatcher may sleep. NULL for never.
-- In plpgsql, which keeps its plans: an idle dispatcher calls this five times a second.
create or replace function messaging.next_wake_up()
returns timestamptz language plpgsql stable set search_path = '' as $$
begin
  return nullif(least(
    (
      select d.next_due_at from messaging.dispatch d
      where d.in_flight is null order by d.next_due_at limit 1
    ),
    (
      select q.visible_at from messaging.message_queue q
      where q.visible_at is not null order by q.visible_at limit 1
    )
  ), 'infinity');
end;
$$;
