-- What match_question decides about a received message.
create type messaging.matched_answer as (
  question_id uuid,
  outcome text,
  answer jsonb,
  agent_id uuid
);
