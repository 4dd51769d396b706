-- Gives the next rung its turn: the one that a message with a ladder has taken was refused. `error`: the
-- refusal, with its meaning; NULL where the rung can only be decided anew. Returns the ladder as decide_ladder
-- decides it then; NULL where the refusal gives no way to another rung. Changes no message. Locks the contact.
create or replace function messaging.climb_ladder(
  instance messaging.instances, message messaging.messages, error jsonb
) returns jsonb language plpgsql set search_path = '' as $$
declare
  ladder jsonb := message.ladder;
  sent_as constant text := ladder->'shown'->>'sentAs';
  is_closed constant boolean := error->>'meaning' = 'outside_conversation_window';
begin
  if sent_as <> 'invitation'
    and not messaging.gives_way(sent_as, error->>'meaning', ladder ? 'closedAt') then
    return null;
  end if;
  if is_closed then
    -- What the contact wrote after the decision opens it: the channel tells whole seconds, so no clock of ours
    -- could say what came later.
    ladder := ladder || jsonb_build_object(
      'closedAt', coalesce(ladder->>'openSince', '-infinity')
    );
  end if;
  if ladder->>'place' is not null then
    ladder := ladder || jsonb_build_object(
      'from', (ladder->>'place')::integer + 1,
      'refused', coalesce(ladder->'refused', '[]') || jsonb_build_object(
        'rung', ladder->'rungs'->(ladder->>'place')::integer->'rung',
        'reason', coalesce(error->>'meaning', error->>'code', 'not_delivered')
      )
    );
  end if;
  return messaging.decide_ladder(instance, message.contact_id, ladder);
end;
$$;
