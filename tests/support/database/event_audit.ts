import type { Sql } from "postgres";

/**
 * Makes every test database refuse a transaction that changes a message without recording its event, at
 * its commit. Only for product code, which acts as `service_role`; a test's own changes, as the
 * superuser, are not looked at; nor are those of a transaction that sets `event_audit.is_off`. What a transaction changes and changes back is not looked at either.
 *
 * An event belongs to the transaction when it was recorded after the transaction began.
 */
export async function installEventAudit(template: Sql): Promise<void> {
  await template.unsafe(audit).simple();
}

const audit = `
create schema event_audit;
grant usage on schema event_audit to service_role;
create index events_by_message on messaging.events (((message).id));

create function event_audit.require_message_events() returns trigger
language plpgsql security definer set search_path = ''
set enable_seqscan = off as $$
declare
  expected text[] := '{}';
  wanted text;
  message messaging.messages := case when tg_op = 'DELETE' then old else new end;
  current_status text;
begin
  select m.status into current_status from messaging.messages m where m.id = message.id;
  if tg_op = 'DELETE' then
    -- Of an erased person's messages contact.erased tells; of those past their retention nothing does.
    if exists (
      select from messaging.contact_activity a
      left join messaging.contact_activity survivor on survivor.contact_id = a.merged_into
      where a.contact_id = old.contact_id
        and coalesce(a.erased_at, survivor.erased_at) is not null
    ) or exists (
      select from messaging.instances i
      where i.id = old.instance_id
        and old.created_at <= now() - make_interval(days => i.retention_messages_days)
    ) then
      return null;
    end if;
    expected := '{message.deleted}';
  elsif new.content ? 'isImported'
    and (tg_op = 'INSERT' or old.content->>'unsupportedType' = 'media_placeholder') then
    -- Nothing tells of what was said before the number was connected.
    return null;
  elsif current_status is distinct from new.status then
    return null;
  elsif tg_op = 'INSERT' then
    expected := case
      when new.status in ('queued', 'sending') then '{}'
      when new.message_type = 'reaction' then '{message.reaction}'::text[]
      else array['message.' || new.status]
    end;
  else
    if new.status <> old.status and new.status not in ('queued', 'sending') then
      expected := expected || ('message.' || case
        when new.message_type = 'reaction' and new.status = 'sent' then 'reaction' else new.status
      end);
      if new.status in ('delivered', 'read') and old.sent_at is null then
        expected := expected || case new.message_type
          when 'reaction' then 'message.reaction' else 'message.sent'
        end::text;
      end if;
    end if;
    if new.message is distinct from old.message then
      expected := expected || 'message.edited'::text;
    end if;
    if new.deleted_at is distinct from old.deleted_at then
      expected := expected || 'message.deleted'::text;
    end if;
  end if;
  foreach wanted in array expected loop
    perform from messaging.events e
    where (e.message).id = message.id and e.type = wanted and e.recorded_at >= now();
    if not found then
      raise exception 'a message changed without its event %', wanted;
    end if;
  end loop;
  return null;
end
$$;

create constraint trigger messages_have_their_events
after insert or update or delete on messaging.messages
deferrable initially deferred
for each row when (
  current_user = 'service_role' and current_setting('event_audit.is_off', true) is distinct from 'on'
)
execute function event_audit.require_message_events();
`;
