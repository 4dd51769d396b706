-- merge_contacts: makes the open turn of `gone_id` that of `kept_id`. Two open ones become one, from the earlier
-- start on; where that would have more than 50 messages, the one that has begun first ends now.
-- The agent's answer that waits in the kept conversation waits for the turn's end.
-- The caller holds both conversations, and has locked no outbox row yet: see join_turn.
create or replace function messaging.merge_turns(kept_id uuid, gone_id uuid)
returns void language plpgsql set search_path = '' set enable_seqscan = off as $$
declare
  kept messaging.conversation_turns;
  gone messaging.conversation_turns;
  ids uuid[];
begin
  delete from messaging.conversation_turns t where t.contact_id = gone_id returning t.* into gone;
  if not found then
    return;
  end if;
  delete from messaging.conversation_turns t where t.contact_id = kept_id returning t.* into kept;
  gone.contact_id := kept_id;
  select c.id into strict gone.conversation_id
  from messaging.conversations c where c.contact_id = kept_id;
  if cardinality(kept.message_ids) + cardinality(gone.message_ids) > 50 then
    if kept.started_at <= gone.started_at then
      perform messaging.tell_turn(kept, clock_timestamp());
    else
      perform messaging.tell_turn(gone, clock_timestamp());
      gone := kept;
    end if;
  elsif kept.contact_id is not null then
    ids := kept.message_ids || gone.message_ids;
    gone.message_ids := array(
      select m.id from messaging.messages m where m.id = any (ids) order by m.created_at, m.id
    );
    gone.started_at := least(kept.started_at, gone.started_at);
    gone.ends_by := least(kept.ends_by, gone.ends_by);
    gone.due_at := least(gone.ends_by, greatest(kept.due_at, gone.due_at));
  end if;
  insert into messaging.conversation_turns select gone.*;
  perform messaging.postpone_agent_reply(gone.conversation_id, gone.due_at);
end;
$$;
