-- Whether a filter of a list alone leaves at most `most` contacts or conversations of an instance, so that all
-- of them can be read by an index of another order. `filter`: tag, operator, department (`value` is an id),
-- status, consent, awaiting. False where `value` is NULL: nobody filters so.
create or replace function messaging.is_few(instance_id uuid, filter text, value text, most integer)
returns boolean language plpgsql stable set search_path = ''
set plan_cache_mode = force_generic_plan as $$
declare
  of_instance constant uuid := instance_id;
  of_id constant uuid := case when filter in ('tag', 'operator', 'department') then value::uuid end;
begin
  return value is not null and (
    select count(*) <= most
    from (
      select from messaging.contact_tags g where filter = 'tag' and g.tag_id = of_id
      union all
      select from messaging.conversations v
      where filter = 'operator' and v.instance_id = of_instance and v.assigned_to = of_id
      union all
      select from messaging.conversations v
      where filter = 'department' and v.instance_id = of_instance and v.department_id = of_id
      union all
      select from messaging.conversations v
      where filter = 'status' and v.instance_id = of_instance and v.status = value
        and v.created_at > '-infinity'
      union all
      select from messaging.contact_activity a
      where filter = 'awaiting' and a.instance_id = of_instance and a.awaits_reply
      union all
      select from messaging.contacts k
      where filter = 'consent' and k.instance_id = of_instance and k.consent_marketing = value
        and k.consent_marketing <> 'unknown'
      limit most + 1
    ) as found
  );
end;
$$;
