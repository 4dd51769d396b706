-- What the messages of a batch that are still to be sent would cost: {estimatedCost, by the category that the
-- template has now, or the message; estimatedCostAfterChange, by the one that the channel has announced for
-- the template}. Each as estimate_sends gives it; the second is NULL where nothing is announced.
create or replace function messaging.describe_estimates(
  instance messaging.instances, batch messaging.batches, sends messaging.planned_send[]
) returns jsonb language plpgsql stable set search_path = '' as $$
declare
  announced constant text := messaging.announced_category(batch);
  present constant text := (
    select lower(t.category) from messaging.message_templates t
    where t.id = (batch.source->'template'->>'templateId')::uuid
  );
  message_type constant text := case
    when batch.source->'template' is null then batch.source->'message'->>'messageType'
    else 'template'
  end;
begin
  return jsonb_build_object(
    'estimatedCost', messaging.estimate_sends(
      instance, coalesce(present, messaging.sent_category(message_type, batch.purpose, null)), sends
    ),
    'estimatedCostAfterChange', case
      when announced is not null then messaging.estimate_sends(instance, announced, sends)
    end
  );
end;
$$;
