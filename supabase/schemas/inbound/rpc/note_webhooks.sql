-- admin-api, connect: where a provider was just seen to send an instance's events. `request`: instanceId,
-- sealedProviderConfig (the credentials that were asked with), state (ours, elsewhere, unknown), url (without
-- secrets, NULL for none). What other credentials than the present ones have found counts nothing. Returns
-- {noted}. Locks dispatch.
create or replace function public.note_webhooks(request jsonb)
returns jsonb language plpgsql set search_path = '' set enable_seqscan = off as $$
begin
  update messaging.dispatch d
  set webhooks_state = request->>'state', webhooks_url = request->>'url'
  from messaging.instances i
  where i.id = (request->>'instanceId')::uuid and d.instance_id = i.id
    and i.sealed_provider_config = request->>'sealedProviderConfig';
  return jsonb_build_object('noted', found);
end;
$$;
