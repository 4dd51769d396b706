-- How a message with a ladder would go at `slot`, by what is known now: the rung that it would take, {} for the
-- message as it is, NULL where no rung is left. `contact`: a row of NULLs for whom no contact exists yet. Decides
-- nothing: see decide_ladder.
create or replace function messaging.planned_rung(
  instance messaging.instances, contact messaging.contacts, ladder jsonb, slot timestamptz
) returns jsonb language plpgsql stable set search_path = '' as $$
declare
  rung jsonb;
begin
  if messaging.is_window_open(instance.provider_class, contact.last_inbound_at, null, slot) then
    return '{}';
  end if;
  for rung in select r.value from jsonb_array_elements(ladder->'rungs') as r loop
    if messaging.rung_refusal(instance, contact, rung) is null then
      return rung;
    end if;
  end loop;
  return null;
end;
$$;
