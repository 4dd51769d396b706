-- The newest messages that were really sent to or received from a contact in a span of time (the end
-- is not included), oldest first: what messages-context shows and what an agent is given.
-- `wanted_direction`: inbound, outbound, or NULL for both.
-- Returns {messages, hasMore}: hasMore says whether older ones of the span were left out. Instants
-- are Unix milliseconds.
-- A page is at most 1 MiB in the answer, with the sender's name beside each message and 4 KiB for
-- what stands around them; beyond it the older ones are left out. Sizes are first summed as stored,
-- which reads no text, so that never much more than a page is put together; then as messages-context
-- shows them with `format=raw`, where a member that `content` lacks is shown as null.
-- Most providers tell whole seconds, so a reply can seem older than the message that it answers:
-- within one second messages stand in the order in which they came here, or could leave at the
-- earliest; those that were reported more exactly in their own. So the page is found by the index, but
-- cut within its oldest second by that order.
-- Whole sorts are off: the planner takes a contact for one with few messages and would read all that
-- it has in the span, where index order and an incremental sort stop at the page.
-- Without jit: see rescue_stalled_instances.
-- Over 80 lines: one statement, so that the rows that are measured are those that are shown.
create or replace function messaging.history_page(
  instance_id uuid, contact_id uuid, starts_at timestamptz, ends_at timestamptz,
  wanted_direction text, page_size integer
) returns jsonb language plpgsql stable set search_path = '' set enable_sort = off set jit = off
as $$
declare
  -- The signed link that takes the place of a file's URL (shared/media/links.ts).
  link_bytes constant integer := 450;
  max_bytes constant integer := 1024 * 1024 - 4096;
  -- What a content says of the parts that it lacks: null for each (shared/model/content_parts.ts).
  absent_bytes constant integer := 72;
  own_ids constant uuid[] := messaging.merged_contact_ids(contact_id);
  sender_bytes integer;
  messages jsonb;
  has_more boolean;
begin
  -- A row of format=raw has over 500 bytes that an item of a conversation lacks.
  select greatest(
    coalesce(octet_length(to_jsonb(c.name)::text), 0) + octet_length(to_jsonb(i.name)::text) - 400, 0
  )
  into sender_bytes
  from messaging.contacts c
  join messaging.instances i on i.id = c.instance_id
  where c.id = history_page.contact_id;
  with newest as materialized (
    select n.*
    from unnest(own_ids) as own(contact_id)
    cross join lateral (
      select m.*
      from messaging.messages m
      where m.instance_id = history_page.instance_id and m.contact_id = own.contact_id
        and m.sent_at >= starts_at and m.sent_at < ends_at
        and m.status in ('sent', 'delivered', 'read', 'received')
        and (wanted_direction is null or m.direction = wanted_direction)
      order by m.sent_at desc
      limit page_size + 1
    ) as n
    order by n.sent_at desc
    limit page_size + 1
  ),
  oldest as (
    select min(n.sent_at) as sent_at from newest n having count(*) > page_size
  ),
  candidate as (
    select n.* from newest n
    union all
    select m.*
    from oldest
    join messaging.messages m on m.instance_id = history_page.instance_id
      and m.contact_id = any (own_ids)
      and m.sent_at between greatest(starts_at, date_trunc('second', oldest.sent_at))
        and oldest.sent_at
    where m.status in ('sent', 'delivered', 'read', 'received')
      and (wanted_direction is null or m.direction = wanted_direction)
      and not exists (select from newest n where n.id = m.id)
  ),
  placed as (
    select c.*,
      row_number() over (
        order by date_trunc('second', c.sent_at) desc,
          case
            when c.direction = 'inbound' and c.sent_at <> date_trunc('second', c.sent_at)
              then c.sent_at
            else greatest(c.created_at, c.scheduled_for)
          end desc,
          c.id desc
      ) as place
    from candidate c
  ),
  stored as (
    select p.*,
      file.status as media_status,
      file.transcript, file.filename, file.mime_type, file.size, file.last_error as file_error,
      sum(
        coalesce(octet_length(p.message), 0) + coalesce(octet_length(p.content->>'mediaUrl'), 0)
          + coalesce(octet_length(file.transcript), 0)
      ) over (order by p.place) as stored_bytes
    from placed p
    left join lateral (
      select d.status, d.transcript, d.filename, d.mime_type, d.size, d.last_error
      from messaging.media d
      where p.media_id is not null and d.id = p.media_id
      offset 0
    ) as file on true
    where p.place <= page_size
  ),
  described as (
    select n.place,
      n.content,
      jsonb_build_object(
        'messageId', n.id,
        'direction', n.direction,
        'messageType', n.message_type,
        'message', n.message,
        'cardId', n.card_id,
        'sentBy', n.sent_by,
        'operatorName', o.name,
        'agentName', a.name,
        'status', n.status,
        'providerMessageId', n.provider_message_id,
        'sentAtMs', floor(extract(epoch from n.sent_at) * 1000),
        'deliveredAtMs', floor(extract(epoch from n.delivered_at) * 1000),
        'readAtMs', floor(extract(epoch from n.read_at) * 1000),
        'isGroup', n.is_group,
        'chatName', n.chat_name,
        'mediaId', n.media_id,
        'mediaStatus', case when n.media_id is not null then coalesce(n.media_status, 'expired') end,
        'transcript', n.transcript,
        'mediaFilename', coalesce(n.content->>'mediaFilename', n.filename),
        'mediaMimeType', n.mime_type,
        'mediaSize', n.size,
        'batchId', n.batch_id,
        'metadata', coalesce(n.metadata, '{}'),
        'conversationId', n.conversation_id,
        'quotedMessageId', n.quoted_message_id,
        'quotedProviderMessageId', n.quoted_provider_message_id,
        'author', n.author,
        'isTypedOnPhone', n.is_typed_on_phone,
        'handledBy', coalesce(n.handled_by, 'us'),
        'channelStatus', case when n.status = 'sent' then n.channel_status end,
        'attempts', n.attempts
      ) || jsonb_build_object(
        'lastError', case
          when n.direction = 'inbound' and n.media_status in ('failed', 'expired') then n.file_error
          else n.last_error
        end,
        'createdAtMs', floor(extract(epoch from n.created_at) * 1000),
        'scheduledForMs', floor(extract(epoch from n.scheduled_for) * 1000),
        'editedAtMs', floor(extract(epoch from n.edited_at) * 1000),
        'deletedAtMs', floor(extract(epoch from n.deleted_at) * 1000),
        'purpose', messaging.told_purpose(n.purpose)
      ) || messaging.shown_price(
        n.id, n.delivered_at, n.pricing, n.estimated_cost, n.cost_currency
      ) || case
        when n.group_receipts is null then '{}'
        else jsonb_build_object('groupReceipts', n.group_receipts)
      end || case
        when n.question_id is null then '{}'
        else messaging.shown_question(n.question_id, n.direction)
      end || case
        when n.message_type <> 'reaction' then '{}'
        else jsonb_build_object('reactedTo', (
          select coalesce(nullif(left(q.message, 200), ''), '[' || q.message_type || ']')
          from messaging.messages q where q.id = n.quoted_message_id
        ))
      end as item
    from stored n
    left join messaging.operators o on o.id = n.operator_id
    left join messaging.ai_agents a on a.id = n.agent_id
    where n.stored_bytes <= max_bytes
  ),
  measured as (
    select d.place,
      d.item || jsonb_build_object('content', d.content) as item,
      sum(
        octet_length((d.item || coalesce(d.content, '{}'))::text) + absent_bytes + sender_bytes
          + case when d.item->>'mediaId' is null then 0 else link_bytes end
      ) over (order by d.place) as bytes
    from described d
  )
  select
    coalesce(
      jsonb_agg(m.item order by m.place desc) filter (where m.bytes <= max_bytes), '[]'
    ),
    exists (select from oldest)
      or (select count(*) from stored) > count(*) filter (where m.bytes <= max_bytes)
  into messages, has_more
  from measured m;
  return jsonb_build_object('messages', messages, 'hasMore', has_more);
end;
$$;
