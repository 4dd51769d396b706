-- Lets what an instance holds for a reason (budget, new_contacts) leave, see release_messages: what is among the
-- first 2,000 messages of its queue at once, and the rest by the dispatcher's maintenance (see move_waiting_slots), so
-- that no call takes as long as the queue. Where that is under way already, it goes through the queue once more.
-- The caller holds pacing, and refreshes dispatch.
create or replace function messaging.release_held_messages(
  instance_id uuid, reason text, clock timestamptz
) returns void language plpgsql set search_path = '' as $$
declare
  release messaging.held_releases;
begin
  update messaging.held_releases r
  set begins_anew = true
  where r.instance_id = release_held_messages.instance_id
    and r.reason = release_held_messages.reason
  returning r.* into release;
  if not found then
    release.instance_id := release_held_messages.instance_id;
    release.reason := release_held_messages.reason;
    release.until_at := '-infinity';
    release.until_position := 0;
    release.begins_anew := false;
  end if;
  perform messaging.go_on_releasing(release, clock);
end;
$$;
