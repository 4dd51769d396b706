-- What the events of a conversation compare: its status, and what conversations-api assign changes. The
-- caller holds the conversation locked.
-- Plans must not depend on statistics: paths with and without such settings share them.
create or replace function messaging.conversation_state(conversation_id uuid)
returns jsonb language sql stable set search_path = '' set enable_seqscan = off
set enable_bitmapscan = off as $$
  select jsonb_build_object(
    'status', c.status,
    'assignment', jsonb_build_object(
      'assignedTo', c.assigned_to,
      'departmentId', c.department_id,
      'portfolio', exists (
        select from messaging.portfolios p
        where p.contact_id = c.contact_id and p.operator_id = c.assigned_to
      )
    )
  )
  from messaging.conversations c
  where c.id = conversation_state.conversation_id;
$$;
