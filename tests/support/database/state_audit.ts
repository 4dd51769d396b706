import type { Sql } from "postgres";

/**
 * Makes every test database refuse, at its commit, a transaction that changes what the API shows of a
 * contact, a conversation, the agent's pause, a hold or a template's status without recording the event
 * of it. Only for product code, which acts as `service_role`; a test's own changes, as the superuser,
 * are not looked at; nor are those of a transaction that sets `event_audit.is_off`.
 *
 * An event belongs to the transaction when it was recorded after the transaction began.
 */
export async function installStateAudit(template: Sql): Promise<void> {
  await template.unsafe([audit, ...watched.map(writeTrigger)].join("\n")).simple();
}

/** A table, the changes that need an event, and the function that looks for it. */
interface Watched {
  readonly table: string;
  readonly events: string;
  readonly check: string;
  readonly when?: string;
}

function differs(...columns: readonly string[]): string {
  return columns.map((column) => `old.${column} is distinct from new.${column}`).join(" or ");
}

const shownFields = [
  ...["phone", "name", "email", "company", "job_title", "notes", "utm_source", "utm_medium"],
  ...["utm_campaign", "custom_labels", "is_favorite", "is_archived", "is_blocked"],
];

const watched: readonly Watched[] = [
  { table: "contacts", events: "insert or delete", check: "contact" },
  {
    table: "contacts",
    events: "update",
    check: "contact",
    when: differs(...shownFields, "merged_into"),
  },
  { table: "contact_tags", events: "insert or delete", check: "tags" },
  {
    ...{ table: "conversations", events: "update", check: "conversation" },
    when: differs("assigned_to", "department_id", "status"),
  },
  { table: "portfolios", events: "insert or update or delete", check: "portfolio" },
  { table: "agent_pauses", events: "insert or delete", check: "pause" },
  { table: "agent_pauses", events: "update", check: "pause", when: differs("paused_until") },
  {
    ...{ table: "dispatch", events: "update", check: "hold" },
    when: differs("hold_until", "operator_hold_until"),
  },
  {
    ...{ table: "message_templates", events: "update", check: "template" },
    when: differs("provider_status"),
  },
];

function writeTrigger({ table, events, check, when = "true" }: Watched): string {
  return `
    create constraint trigger ${table}_${events.replaceAll(" ", "_")}_has_its_event
    after ${events} on messaging.${table}
    deferrable initially deferred
    for each row when (
      current_user = 'service_role'
      and current_setting('event_audit.is_off', true) is distinct from 'on' and (${when})
    )
    execute function event_audit.check_${check}();`;
}

/** Wraps the body of a check: it sets \`is_told\`. */
function writeCheck(name: string, body: string): string {
  return `
    create function event_audit.check_${name}() returns trigger
    language plpgsql security definer set search_path = '' as $$
    declare
      is_told boolean := true;
    begin
      ${body}
      if is_told is not true then
        raise exception '% of %.% without its event', tg_op, tg_table_name, '${name}';
      end if;
      return null;
    end
    $$;`;
}

const audit = `
create schema if not exists event_audit;
grant usage on schema event_audit to service_role;

create function event_audit.is_recorded(contact uuid, types text[], changed text default null)
returns boolean
language sql security definer set search_path = '' as $$
  select exists (
    select from messaging.events e
    where e.contact_id = contact and e.type = any (types) and e.recorded_at >= now()
      and (changed is null or e.type <> 'contact.updated' or e.data->'fieldsUpdated' ? changed)
  );
$$;
${
  writeCheck(
    "contact",
    `if tg_op = 'INSERT' then
      is_told := event_audit.is_recorded(new.id, '{contact.created}');
    elsif tg_op = 'DELETE' then
      -- What was merged before has only waited for its messages to move.
      is_told := old.merged_into is not null
        or event_audit.is_recorded(old.id, '{contact.merged,contact.erased}');
    elsif old.merged_into is null and new.merged_into is not null then
      is_told := event_audit.is_recorded(new.id, '{contact.merged}');
    else
      select bool_and(event_audit.is_recorded(
        new.id, '{contact.created,contact.updated,contact.merged}', field.name
      )) into is_told
      from jsonb_each(to_jsonb(new)) as after
      cross join lateral (
        -- By the API's name: jobTitle for job_title.
        select string_agg(case when part.place = 1 then part.word else initcap(part.word) end, ''
          order by part.place) as name
        from string_to_table(after.key, '_') with ordinality as part(word, place)
      ) as field
      where after.key = any ('{${shownFields.join(",")}}')
        and after.value is distinct from to_jsonb(old)->after.key
        -- The phone that is shown may be another one, of a contact that has changed its number.
        and (after.key <> 'phone' or not exists (
          select from messaging.contact_addresses a
          where a.contact_id = new.id and a.changed_by is not null
        ));
      is_told := coalesce(is_told, true);
    end if;`,
  )
}
${
  writeCheck(
    "tags",
    `is_told := event_audit.is_recorded(
      case when tg_op = 'DELETE' then old.contact_id else new.contact_id end,
      '{contact.created,contact.updated,contact.merged,contact.erased}', 'tags'
    );`,
  )
}
${
  writeCheck(
    "conversation",
    `is_told := (new.status = old.status
        or event_audit.is_recorded(new.contact_id, '{conversation.status_changed}'))
      and ((new.assigned_to, new.department_id) is not distinct from (old.assigned_to, old.department_id)
        or event_audit.is_recorded(new.contact_id, '{conversation.assigned}'))
      and (new.handled_by = old.handled_by
        or event_audit.is_recorded(new.contact_id, '{conversation.control_changed}'));`,
  )
}
${
  writeCheck(
    "portfolio",
    `is_told := event_audit.is_recorded(
      case when tg_op = 'DELETE' then old.contact_id else new.contact_id end,
      '{conversation.assigned,contact.merged,contact.erased}'
    );`,
  )
}
${
  writeCheck(
    "pause",
    `if tg_op = 'DELETE' then
      is_told := old.paused_until <= clock_timestamp() or event_audit.is_recorded(
        old.contact_id, '{agent.resumed,contact.merged,contact.erased}'
      );
    else
      is_told := new.paused_until <= clock_timestamp()
        or event_audit.is_recorded(new.contact_id, '{agent.paused}');
    end if;`,
  )
}
${
  writeCheck(
    "hold",
    `is_told := greatest(new.hold_until, new.operator_hold_until)
        <= greatest(old.hold_until, old.operator_hold_until, clock_timestamp())
      or exists (
        select from messaging.events e
        where e.instance_id = new.instance_id and e.type = 'instance.held' and e.recorded_at >= now()
      );`,
  )
}
${
  writeCheck(
    "template",
    `is_told := exists (
      select from messaging.events e
      where e.type = 'template.status_changed' and e.recorded_at >= now()
        and e.data->>'templateId' = new.id::text
    );`,
  )
}
`;
