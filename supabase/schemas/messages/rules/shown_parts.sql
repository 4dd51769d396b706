-- What a record shows of a message's `content`: the parts of a received message that it has
-- (shared/model/received_parts.ts), and always `choice`. Its file has members of its own; what an instance has
-- sent is not repeated.
create or replace function messaging.shown_parts(content jsonb)
returns jsonb
language sql
immutable
return '{"choice": null}'::jsonb || coalesce(
  content - array['mediaUrl', 'mediaId', 'mediaFilename', 'optionList', 'template'],
  '{}'
);
