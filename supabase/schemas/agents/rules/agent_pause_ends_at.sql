-- When the agent's pause ends that begins with a person's message (specification, section 3).
create or replace function messaging.agent_pause_ends_at(written_at timestamptz)
returns timestamptz language sql stable
return written_at + interval '30 minutes';
