-- How a message goes by a rung of its ladder, as sentAs says it.
create or replace function messaging.rung_sent_as(rung jsonb)
returns text language sql immutable
return case rung ->> 'rung'
  when 'directSend' then 'direct_send'
  when 'invite' then 'invitation'
  else 'template'
end;

-- The template of a rung, as records name it.
create or replace function messaging.rung_template(rung jsonb)
returns jsonb language sql stable
return jsonb_build_object('templateId', rung -> 'templateId', 'name', rung -> 'name');

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
