-- Decides how a message with a ladder goes now: as it is while the contact's window is open, else by the first
-- rung that can be taken, from the place `from` on. The one place that decides: where the call is recorded, when
-- the message leaves, and after the channel has said that the window is closed.
-- Returns the ladder with `place` and shown.sentAs; with isExhausted and passed [{rung, reason}] where none is
-- left, those that the channel has refused first.
-- Locks the contact: what arrives from it meanwhile waits, and then finds what waits for it.
create or replace function messaging.decide_ladder(
  instance messaging.instances, contact_id uuid, ladder jsonb
) returns jsonb language plpgsql set search_path = '' as $$
declare
  contact messaging.contacts;
  told constant jsonb := coalesce(ladder->'shown', '{}') - 'template';
  undecided constant jsonb := ladder - array['place', 'isExhausted', 'passed'];
  passed jsonb := coalesce(ladder->'refused', '[]');
  rung jsonb;
  reason text;
begin
  select c.* into strict contact from messaging.contacts c
  where c.id = decide_ladder.contact_id
  for no key update;
  if messaging.is_window_open(
    instance.provider_class, contact.last_inbound_at, (ladder->>'closedAt')::timestamptz,
    clock_timestamp()
  ) then
    return undecided || jsonb_build_object(
      'shown', told || '{"sentAs": "message"}', 'openSince', contact.last_inbound_at
    );
  end if;
  for place in coalesce((ladder->>'from')::integer, 0)
    .. jsonb_array_length(ladder->'rungs') - 1 loop
    rung := ladder->'rungs'->place;
    reason := messaging.rung_refusal(instance, contact, rung);
    if reason is null then
      return undecided || jsonb_build_object(
        'place', place,
        'shown', told || jsonb_build_object('sentAs', messaging.rung_sent_as(rung)) || case
          when messaging.rung_sent_as(rung) = 'template'
            then jsonb_build_object('template', messaging.rung_template(rung))
          else '{}'
        end
      );
    end if;
    passed := passed || jsonb_build_object('rung', rung->>'rung', 'reason', reason);
  end loop;
  return undecided || jsonb_build_object('isExhausted', true, 'passed', passed);
end;
$$;
