-- What a record shows of a message's `content`: the parts that it has (shared/model/content_parts.ts), and
-- always `choice`. Its file has members of its own; a sent template is not repeated, and `choices` is what
-- offered_choices reads.
create or replace function messaging.shown_parts(content jsonb)
returns jsonb language sql immutable
return '{"choice": null}'::jsonb || coalesce(
  content - array['mediaUrl', 'mediaId', 'mediaFilename', 'choices', 'template'],
  '{}'
);
