/** A tenant that is large beside the one a test looks at: every table has rows of it. */

import type { Sql } from "postgres";
import { createTenant } from "./tenant.ts";

/** Rows of one large instance, `$1` its id, `$2` its workspace, `$3` how many of each kind. */
const ofInstance = [
  `insert into messaging.contacts (id, instance_id, phone, identity_key, name, origin)
   select md5('contact' || n)::uuid, $1, (551100000000 + n)::text, 'foreign' || n, 'F', 'api'
   from generate_series(1, $3::integer) n where $2::uuid is not null`,
  `insert into messaging.contact_addresses (instance_id, address, contact_id)
   select $1, (881100000000 + n)::text, md5('contact' || n)::uuid
   from generate_series(1, $3::integer) n where $2::uuid is not null`,
  `insert into messaging.operators (id, workspace_id, name, email)
   select md5('operator' || n)::uuid, $2, 'F', 'f' || n || '@example.com'
   from generate_series(1, $3::integer) n where $1::uuid is not null`,
  `insert into messaging.departments (workspace_id, name)
   select $2, 'F' from generate_series(1, $3::integer) n where $1::uuid is not null`,
  `insert into messaging.ai_agents (id, instance_id, name, instructions, model)
   select md5('agent' || n)::uuid, $1, 'F', 'i', 'm'
   from generate_series(1, $3::integer) n where $2::uuid is not null`,
  `insert into messaging.conversations (id, instance_id, contact_id, assigned_to, agent_id)
   select md5('conversation' || n)::uuid, $1, md5('contact' || n)::uuid,
     md5('operator' || n)::uuid, md5('agent' || n)::uuid
   from generate_series(1, $3::integer) n where $2::uuid is not null`,
  `insert into messaging.messages (id, instance_id, contact_id, conversation_id, direction, message_type,
     message, status, mode, sent_at, provider_message_id, failed_at, unconfirmed_at, scheduled_for)
   select md5(s.status || n)::uuid, $1, md5('contact' || n)::uuid, md5('conversation' || n)::uuid,
     s.direction, 'text', 'x', s.status, s.mode, s.sent_at, s.status || n, s.failed_at,
     s.unconfirmed_at, s.scheduled_for
   from generate_series(1, $3::integer) n
   cross join (values
     ('outbound', 'sent', 'sent', now(), null, null, null),
     ('outbound', 'failed', 'sent', null, now(), null, null),
     ('outbound', 'unconfirmed', 'sent', null, null, now() - interval '1 hour', null),
     ('inbound', 'received', null, now(), null, null, null),
     ('outbound', 'queued', 'queued', null, null, null, now() + interval '1 day')
   ) as s(direction, status, mode, sent_at, failed_at, unconfirmed_at, scheduled_for)
   where $2::uuid is not null`,
  // Half paced, half delayed; none is due.
  `insert into messaging.message_queue (message_id, instance_id, scheduled_at, due_at, interval_seconds)
   select md5('queued' || n)::uuid, $1, d.at, case when n % 2 = 0 then d.at end, 10
   from generate_series(1, $3::integer) n
   cross join lateral (select now() + interval '1 day' + n * interval '1 second') as d(at)
   where $2::uuid is not null`,
  `update messaging.dispatch set next_due_at = now() + interval '1 day'
   where instance_id = $1 and $2::uuid is not null and $3::integer > 0`,
  `insert into messaging.tags (id, instance_id, name, color)
   select md5('tag' || n)::uuid, $1, 'f' || n, '#aabbcc'
   from generate_series(1, $3::integer) n where $2::uuid is not null`,
  `insert into messaging.contact_tags (contact_id, tag_id)
   select md5('contact' || n)::uuid, md5('tag' || n)::uuid
   from generate_series(1, $3::integer) n where $1::uuid is not null and $2::uuid is not null`,
  `insert into messaging.portfolios (contact_id, instance_id, operator_id)
   select md5('contact' || n)::uuid, $1, md5('operator' || n)::uuid
   from generate_series(1, $3::integer) n where $2::uuid is not null`,
  `insert into messaging.agent_sessions (conversation_id, instance_id, agent_id)
   select md5('conversation' || n)::uuid, $1, md5('agent' || n)::uuid
   from generate_series(1, $3::integer) n where $2::uuid is not null`,
  `insert into messaging.agent_pauses (contact_id, instance_id, paused_until)
   select md5('contact' || n)::uuid, $1, now()
   from generate_series(1, $3::integer) n where $2::uuid is not null`,
  `insert into messaging.internal_notes (instance_id, conversation_id, note)
   select $1, md5('conversation' || n)::uuid, 'f'
   from generate_series(1, $3::integer) n where $2::uuid is not null`,
  `insert into messaging.chat_transfer_log (instance_id, conversation_id, from_operator_id, to_operator_id)
   select $1, md5('conversation' || n)::uuid, md5('operator' || n)::uuid,
     md5('operator' || n + 1)::uuid
   from generate_series(1, $3::integer - 1) n where $2::uuid is not null`,
  `insert into messaging.message_templates (workspace_id, instance_id, name, language, parameter_format,
     components, provider_status, provider_template_id)
   select $2, case when n % 2 = 0 then $1::uuid end, 'f' || n, 'en', 'NAMED', '[]', 'APPROVED',
     'f' || n
   from generate_series(1, $3::integer) n`,
  `insert into messaging.client_tokens (id, instance_id, token_hash)
   select md5('token' || n)::uuid, $1, md5('a' || n) || md5('b' || n)
   from generate_series(1, $3::integer) n where $2::uuid is not null`,
  `insert into messaging.rate_limits (token_id, function_name, whole_at)
   select md5('token' || n)::uuid, 'send-message', now()
   from generate_series(1, $3::integer) n where $1::uuid is not null and $2::uuid is not null`,
  `insert into messaging.outbox (workspace_id, kind, payload, status, run_at, settled_at, conversation_id)
   select $2, 'agent_reply', '{}', s.status, now() + interval '1 day', s.settled_at,
     md5('conversation' || n)::uuid
   from generate_series(1, $3::integer) n
   cross join (values ('pending', null), ('done', now()), ('dead', now())) as s(status, settled_at)
   where $1::uuid is not null`,
  `insert into messaging.idempotency_keys (scope, key, fingerprint)
   select $1::text, 'f' || n, 'f' from generate_series(1, $3::integer) n where $2::uuid is not null`,
  `insert into messaging.provider_events (instance_id, payload)
   select $1, '{}' from generate_series(1, $3::integer) n where $2::uuid is not null`,
  `insert into messaging.unmatched_statuses (instance_id, provider_message_id, status, occurred_at)
   select $1, 'f' || n, 'sent', now()
   from generate_series(1, $3::integer) n where $2::uuid is not null`,
  // And many instances: of its workspace, and of workspaces of their own.
  `insert into messaging.workspaces (id, name)
   select md5('workspace' || n)::uuid, 'F'
   from generate_series(1, $3::integer) n where $1::uuid is not null and $2::uuid is not null`,
  `insert into messaging.instances (id, workspace_id, name, provider, sealed_provider_config,
     gateway_instance_id, embed_key, connected_phone, connected_phone_key, time_zone)
   select md5('instance' || n)::uuid,
     case when n % 2 = 0 then $2 else md5('workspace' || n)::uuid end, 'F', 'zapi', 'v1.key.x',
     'f' || n, 'emb_f' || n, '551140001234', '551140001234', 'UTC'
   from generate_series(1, $3::integer) n where $1::uuid is not null`,
  `insert into messaging.pacing (instance_id)
   select md5('instance' || n)::uuid
   from generate_series(1, $3::integer) n where $1::uuid is not null and $2::uuid is not null`,
  `insert into messaging.dispatch (instance_id)
   select md5('instance' || n)::uuid
   from generate_series(1, $3::integer) n where $1::uuid is not null and $2::uuid is not null`,
  `insert into messaging.holidays (instance_id, day)
   select md5('instance' || n)::uuid, '2026-12-25'
   from generate_series(1, $3::integer) n where $1::uuid is not null and $2::uuid is not null`,
];

/** Writes so many rows of every kind and refreshes the statistics. @param admin of the superuser. */
export async function createForeignRows(admin: Sql, rows: number): Promise<void> {
  const { instanceId, workspaceId } = await createTenant(admin);
  await admin.begin(async (transaction) => {
    // The rows agree with each other; checking every reference would take as long again.
    await transaction`set local session_replication_role = replica`;
    for (const insert of ofInstance) {
      await transaction.unsafe(insert, [instanceId, workspaceId, rows]);
    }
  });
  await admin`analyze`;
}
