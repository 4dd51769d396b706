-- mcp: whether a send by a tool may go. `request`: instanceId, tokenId, callKey (of tool, intent and recipient),
-- and exactly one of phone, contactId and userId.
-- Returns {refusal, retryAfterSeconds}: `refusal` is NULL, `recipient_not_known` (the token may write to
-- people with a contact that no such call has made, or who have written) or `hourly_limit`, of which a
-- repeated call spends nothing. A contact that a call makes has the origin `mcp`.
-- Locks the token, so that its calls are counted one after the other, then as resolve_recipient does.
-- Errors: MI031, MI035, MI055 (the call must be repeated), MI037: see find_or_add_recipient.
create or replace function public.admit_mcp_send(request jsonb)
returns jsonb language plpgsql set search_path = '' as $$
declare
  clock constant timestamptz := clock_timestamp();
  of_instance constant uuid := (request->>'instanceId')::uuid;
  of_call constant text := request->>'callKey';
  token messaging.client_tokens;
  contact messaging.contacts;
  added record;
  sends integer;
  first_at timestamptz;
begin
  select t.* into strict token from messaging.client_tokens t
  where t.id = (request->>'tokenId')::uuid and t.instance_id = of_instance
  for no key update;
  contact := messaging.find_recipient(of_instance, request);
  if
    token.mcp_recipients = 'known'
    and (contact.id is null or contact.origin = 'mcp' and contact.last_inbound_at is null)
  then
    return jsonb_build_object('refusal', 'recipient_not_known', 'retryAfterSeconds', null);
  end if;
  delete from messaging.mcp_sends s
  where s.token_id = token.id and s.admitted_at < clock - interval '2 days';
  perform from messaging.mcp_sends s where s.token_id = token.id and s.call_key = of_call;
  if found then
    return jsonb_build_object('refusal', null, 'retryAfterSeconds', null);
  end if;
  select count(*), min(s.admitted_at) into sends, first_at
  from messaging.mcp_sends s
  where s.token_id = token.id and s.admitted_at > clock - interval '1 hour';
  if sends >= token.mcp_max_sends_per_hour then
    return jsonb_build_object(
      'refusal', 'hourly_limit',
      'retryAfterSeconds',
      coalesce(ceil(extract(epoch from first_at + interval '1 hour' - clock))::integer, 3600)
    );
  end if;
  insert into messaging.mcp_sends (token_id, instance_id, call_key, admitted_at)
  values (token.id, of_instance, of_call, clock);
  if contact.id is null then
    added := messaging.find_or_add_recipient(of_instance, request);
    if added.is_new then
      update messaging.contacts c set origin = 'mcp' where c.id = (added.contact).id;
      perform messaging.record_new_contacts(array[(added.contact).id]);
    end if;
  end if;
  return jsonb_build_object('refusal', null, 'retryAfterSeconds', null);
end;
$$;
