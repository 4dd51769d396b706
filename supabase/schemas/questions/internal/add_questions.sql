-- Stores the questions that these new messages ask, and marks their contacts, so that what arrives from them is
-- looked at (see match_question). `ask` of a draft: {questionId, accept, choices, answerWithinSeconds,
-- remindAfterSeconds, key, reminder, onInvalid, sealedNotify, agentId}. The caller holds the contacts.
create or replace function messaging.add_questions(
  messages messaging.outbound_message[], clock timestamptz
) returns void language plpgsql set search_path = '' as $$
begin
  insert into messaging.questions (
    id, instance_id, contact_id, message_id, batch_id, key, accept, choices, answer_within,
    remind_after, reminder, on_invalid, sealed_notify, agent_id, created_at, reminder_status
  )
  select (m.draft->'ask'->>'questionId')::uuid, m.instance_id, m.contact_id, m.id, m.batch_id,
    m.draft->'ask'->>'key', m.draft->'ask'->>'accept', nullif(m.draft->'ask'->'choices', 'null'),
    make_interval(secs => (m.draft->'ask'->>'answerWithinSeconds')::double precision),
    make_interval(secs => (m.draft->'ask'->>'remindAfterSeconds')::double precision),
    m.draft->'ask'->>'reminder', m.draft->'ask'->>'onInvalid', m.draft->'ask'->>'sealedNotify',
    (m.draft->'ask'->>'agentId')::uuid, clock,
    case when m.draft->'ask'->>'remindAfterSeconds' is not null then 'waiting' end
  from unnest(messages) as m
  where m.draft->'ask' is not null;
  update messaging.contacts c
  set awaits_answer = true
  where not c.awaits_answer and c.id = any (array(
    select m.contact_id from unnest(messages) as m where m.draft->'ask' is not null
  ));
end;
$$;
