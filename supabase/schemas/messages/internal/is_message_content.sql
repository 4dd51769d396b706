-- Whether `content` has the shape that its message type needs: an option list or the choice of one of its
-- rows, a tapped button, a template; for any other type no such list or template, and a file only where the
-- type is one of files, or of buttons that may stand below one. What else a received message holds stands
-- beside it. A received file may have neither URL nor id, where the provider tells none. What a sent message
-- needs is checked before it is stored (shared/model/message_content.ts).
create or replace function messaging.is_message_content(message_type text, content jsonb)
returns boolean language plpgsql immutable parallel safe set search_path = '' as $$
begin
  if content is null then
    return message_type not in ('option_list', 'choice', 'template');
  end if;
  if jsonb_typeof(content) <> 'object' or content = '{}' then
    return false;
  end if;
  return coalesce(
    case message_type
      when 'option_list' then jsonb_typeof(content->'optionList') = 'object'
        or jsonb_typeof(content->'choice'->'title') = 'string'
      when 'choice' then jsonb_typeof(content->'choice'->'title') = 'string'
      when 'template' then jsonb_typeof(content->'template') = 'object'
      else not content ?| array['optionList', 'template', 'choice'] and case
        when message_type in ('image', 'audio', 'video', 'document', 'sticker', 'voice', 'buttons')
          then jsonb_typeof(coalesce(content->'mediaUrl', '""')) = 'string'
        else not content ?| array['mediaUrl', 'mediaId', 'mediaFilename']
      end
    end,
    false
  );
end;
$$;
