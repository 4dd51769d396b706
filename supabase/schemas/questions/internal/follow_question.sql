-- What a change of a message means for the question that it asks: it opens where the message has left, or may
-- have; it ends as `not_sent` where the message failed, was canceled or expired. What has ended stays so.
-- The caller holds the message. Locks the live questions of the contact, in the order of their ids.
create or replace function messaging.follow_question(
  former messaging.messages, present messaging.messages
) returns void language plpgsql set search_path = '' as $$
begin
  if present.status in ('failed', 'canceled', 'expired') then
    perform messaging.end_question(present.question_id, 'canceled', 'not_sent');
  elsif present.status in ('sent', 'delivered', 'read', 'unconfirmed') then
    perform messaging.open_question(present);
  end if;
end;
$$;

-- Opens the question of a message that has left: its time counts from then. Ends the contact's older open one as
-- `replaced`. Two that leave at once wait for each other here, so that one of them stays.
create or replace function messaging.open_question(message messaging.messages)
returns void language plpgsql set search_path = '' as $$
declare
  left_at constant timestamptz := coalesce(
    message.sent_at, message.unconfirmed_at, clock_timestamp()
  );
  older uuid;
begin
  perform from messaging.questions q
  where q.id = message.question_id and q.status = 'waiting';
  if not found then
    return;
  end if;
  perform from messaging.questions q
  where q.contact_id = any (messaging.merged_contact_ids(message.contact_id))
    and messaging.is_question_live(q.status)
  order by q.id
  for no key update;
  for older in
    select q.id from messaging.questions q
    where q.contact_id = any (messaging.merged_contact_ids(message.contact_id))
      and q.status = 'open' and q.id <> message.question_id
  loop
    perform messaging.end_question(older, 'canceled', 'replaced');
  end loop;
  update messaging.questions q
  set status = 'open', opened_at = left_at, expires_at = left_at + q.answer_within,
    due_at = left_at + least(q.remind_after, q.answer_within)
  where q.id = message.question_id and q.status = 'waiting';
end;
$$;
