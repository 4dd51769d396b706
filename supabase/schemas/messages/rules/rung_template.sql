-- The template of a rung, as records name it.
create or replace function messaging.rung_template(rung jsonb)
returns jsonb language sql stable
return jsonb_build_object('templateId', rung -> 'templateId', 'name', rung -> 'name');
