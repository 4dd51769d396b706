-- The category by which a message is billed, before the channel has said how it bills it: that of its template, also
-- of one that went in its place (`ladder`: see decide_ladder), and without one service.
create or replace function messaging.sent_category(message_type text, purpose text, ladder jsonb)
returns text language sql immutable
return case
  when message_type = 'template' then messaging.told_purpose(purpose)
  when ladder -> 'shown' ->> 'sentAs' = 'direct_send' then 'utility'
  when ladder -> 'shown' ->> 'sentAs' = 'template' then messaging.told_purpose(
    ladder -> 'rungs' -> (ladder ->> 'place')::integer ->> 'purpose'
  )
  else 'service'
end;
