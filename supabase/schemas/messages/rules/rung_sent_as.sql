-- How a message goes by a rung of its ladder, as sentAs says it.
create or replace function messaging.rung_sent_as(rung jsonb)
returns text language sql immutable
return case rung ->> 'rung'
  when 'directSend' then 'direct_send'
  when 'invite' then 'invitation'
  else 'template'
end;
