-- The ladder of a message that waits for the answer to an invitation. `ends_by_default`: nobody named its end.
create or replace function messaging.waiting_ladder(
  decided jsonb, invitation_id uuid, ends_by_default boolean
) returns jsonb language sql stable
return jsonb_set(
  case
    when ends_by_default then decided || '{"endsByDefault": true}'
    else decided
  end,
  '{shown,invitationId}',
  to_jsonb(invitation_id)
);
