-- An invitation was refused: each message that waits for its answer takes its next rung, or fails. The caller
-- holds the invitation. Locks the contact, the messages, pacing, dispatch.
create or replace function messaging.fail_invitation(invitation messaging.messages)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  message messaging.messages;
  instance messaging.instances;
  decided jsonb;
begin
  select i.* into strict instance from messaging.instances i where i.id = invitation.instance_id;
  for message in
    select m.*
    from messaging.messages m
    where m.contact_id = any (messaging.merged_contact_ids(invitation.contact_id))
      and m.ladder is not null and m.status = 'queued' and m.held_by = 'awaiting_reply'
      and m.ladder->'shown'->>'invitationId' = invitation.id::text
    order by m.created_at, m.id
    for no key update
  loop
    message := messaging.message_after_merge(message);
    decided := messaging.climb_ladder(instance, message, invitation.last_error);
    perform messaging.go_on_by_ladder(instance, message, decided, invitation.last_error);
  end loop;
end;
$$;
