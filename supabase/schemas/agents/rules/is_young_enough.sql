-- Whether a message that was written at `written_at`, by the channel's instant, may still ask this agent: an
-- answer to what a channel delivers a day late, after a reconnection, would surprise who wrote it.
create or replace function messaging.is_young_enough(
  agent messaging.ai_agents, written_at timestamptz, clock timestamptz
) returns boolean language sql stable
return written_at > clock - agent.answers_within_seconds * interval '1 second';
