-- Whether a refusal by the channel lets the next rung of a ladder have its turn. `sent_as`: how the message
-- went; `meaning`: see shared/model/refusal_meaning.ts; `was_closed`: the channel has said once already that the
-- window is closed, which counts once.
create or replace function messaging.gives_way(sent_as text, meaning text, was_closed boolean)
returns boolean language sql immutable
return coalesce(
  case meaning
    when 'outside_conversation_window' then sent_as != 'template'
    and not was_closed
    when 'direct_send_refused' then sent_as = 'direct_send'
    when 'parameter_refused' then sent_as = 'direct_send'
    when 'template_refused' then sent_as = 'template'
  end,
  false
);
