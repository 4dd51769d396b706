-- Whether a question has not ended: its message is still to leave, or it is open.
create or replace function messaging.is_question_live(status text)
returns boolean language sql immutable parallel safe
return status in ('waiting', 'open');
