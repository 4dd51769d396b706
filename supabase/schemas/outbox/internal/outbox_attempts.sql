-- How often the work of an outbox row is tried: 12 times (about 10 hours), 5 for an agent's reply
-- (minutes: later it would answer out of the blue), 5 for a received file (an hour) and 3 for a transcript,
-- which is worth little later; 8 for the end of a question, as for a webhook endpoint.
create or replace function messaging.outbox_attempts(kind text)
returns integer language sql immutable parallel safe set search_path = '' as $$
  select case kind
    when 'agent_reply' then 5
    when 'media_fetch' then 5
    when 'media_transcription' then 3
    when 'question_notification' then 8
    else 12
  end;
$$;
