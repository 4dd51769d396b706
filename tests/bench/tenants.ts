import type { Sql } from "postgres";

/** A recipient. */
export interface Recipient {
  readonly instanceId: string;
  readonly contactId: string;
  readonly conversationId: string;
  readonly phone: string;
}

/**
 * Creates instances with an always open window, each with contacts, conversations and one sent message
 * per contact. Query plans on empty tables would not be realistic.
 */
export async function createTenants(
  admin: Sql,
  { instances, contactsEach }: { readonly instances: number; readonly contactsEach: number },
): Promise<Recipient[]> {
  await admin.begin(async (sql) => {
    const [workspace] = await sql<{ id: string }[]>`
      insert into messaging.workspaces (name) values ('Bench') returning id`;
    await sql`
      insert into messaging.instances (
        workspace_id, name, provider, sealed_provider_config, gateway_instance_id, embed_key,
        connected_phone, connected_phone_key, time_zone, window_start, window_end, window_days
      )
      select ${workspace?.id ?? null}, 'Instance ' || n, 'zapi', repeat('s', 200), 'GATEWAY' || n,
        'emb_' || n, '5511' || (900000000 + n), '5511' || (900000000 + n), 'America/Sao_Paulo',
        '00:00', '24:00', '{1,2,3,4,5,6,7}'
      from generate_series(1, ${instances}::integer) as n`;
    await sql`insert into messaging.pacing (instance_id) select id from messaging.instances`;
    await sql`insert into messaging.dispatch (instance_id) select id from messaging.instances`;
    await sql`
      insert into messaging.contacts (instance_id, phone, identity_key, origin)
      select i.id, phone.digits, phone.digits, 'api'
      from messaging.instances i
      cross join generate_series(1, ${contactsEach}::integer) as n
      cross join lateral (select '5521' || (990000000 + n) as digits) as phone`;
    await sql`
      insert into messaging.conversations (instance_id, contact_id)
      select instance_id, id from messaging.contacts`;
    await sql`
      insert into messaging.messages (
        instance_id, contact_id, conversation_id, direction, message_type, message, mode, status,
        provider_message_id, sent_at
      )
      select instance_id, contact_id, id, 'outbound', 'text', 'Bom dia!', 'sent', 'sent', id, now()
      from messaging.conversations`;
  });
  await admin`vacuum analyze`;
  return await admin<Recipient[]>`
    select c.instance_id as "instanceId", contact_id as "contactId", c.id as "conversationId", phone
    from messaging.conversations c
    join messaging.contacts p on p.id = c.contact_id
    join messaging.instances i on i.id = c.instance_id
    order by phone, i.id`;
}
