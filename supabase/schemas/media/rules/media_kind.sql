-- What the file of a message of this type counts as: see media.kind. NULL for a type without files.
create or replace function messaging.media_kind(message_type text)
returns text language sql immutable
return case
  when message_type in ('image', 'audio', 'video', 'document') then message_type
  when message_type = 'sticker' then 'image'
  when message_type = 'voice' then 'audio'
end;
