-- Whether `content` has the shape that its message type needs: none for words alone, an option list or
-- the choice of one of its rows, a tapped button, a template, else a file. A received file may have neither URL nor id, where
-- the provider tells none. What a sent message needs is checked before it is stored
-- (shared/model/message_content.ts).
create or replace function messaging.is_message_content(message_type text, content jsonb)
returns boolean
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  return coalesce(
    case message_type
      when 'text' then content is null
      when 'contact_request' then content is null
      when 'other' then content is null
      when 'option_list' then jsonb_typeof(content->'optionList') = 'object'
        or jsonb_typeof(content->'choice'->'title') = 'string'
      when 'choice' then jsonb_typeof(content->'choice'->'title') = 'string'
      when 'template' then jsonb_typeof(content->'template') = 'object'
      else content is null
        or jsonb_typeof(content->'mediaUrl') = 'string'
        or jsonb_typeof(content->'mediaId') = 'string'
        or jsonb_typeof(content->'mediaFilename') = 'string'
    end,
    false
  );
end;
$$;
