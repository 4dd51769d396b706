import type { Sql } from "postgres";

/**
 * Moves all instants in the database `seconds` into the past, as if that time had passed: slots, leases,
 * holds, keys, outbox rows, last sends. Locks rows in the product's order, so the product may run at the
 * same time.
 *
 * @param sql a client of the superuser.
 */
export async function letTimePass(sql: Sql, seconds: number): Promise<void> {
  const by = sql`make_interval(secs => ${seconds})`;
  await sql.begin(async (transaction) => {
    await transaction`update messaging.idempotency_keys set created_at = created_at - ${by}`;
    await transaction`update messaging.contacts set last_inbound_at = last_inbound_at - ${by}`;
    await transaction`update messaging.contact_addresses set proven_at = proven_at - ${by}`;
    await transaction`
      update messaging.message_queue set scheduled_at = scheduled_at - ${by},
        visible_at = visible_at - ${by}, lease_until = lease_until - ${by},
        departs_at = departs_at - ${by}`;
    await transaction`
      update messaging.messages set created_at = created_at - ${by}, sent_at = sent_at - ${by},
        scheduled_for = scheduled_for - ${by}, failed_at = failed_at - ${by},
        unconfirmed_at = unconfirmed_at - ${by}, expires_at = expires_at - ${by}`;
    await transaction`update messaging.agent_pauses set paused_until = paused_until - ${by}`;
    await transaction`
      update messaging.agent_sessions
      set answered_at = array(select answer - ${by} from unnest(answered_at) as answer)`;
    await transaction`
      update messaging.batches set start_at = start_at - ${by}, expires_at = expires_at - ${by},
        served_at = served_at - ${by}, created_at = created_at - ${by},
        finished_at = finished_at - ${by}`;
    await transaction`update messaging.pacing set last_slot_at = last_slot_at - ${by}`;
    // Days pass whole: a test that crosses midnight says so.
    const days = Math.floor(seconds / 86_400);
    // Two steps: a day that moves onto its neighbour's place would find it taken.
    const away = 100_000;
    await transaction`
      update messaging.paced_days set day = day + ${away}::integer,
        last_left_at = last_left_at - ${by}, starts_at = starts_at - ${by}`;
    await transaction`
      update messaging.paced_days set day = day - ${away + days}::integer`;
    await transaction`
      update messaging.message_queue set counted_on = counted_on - ${days}::integer
      where counted_on is not null`;
    await transaction`
      update messaging.dispatch set next_due_at = next_due_at - ${by},
        lease_until = lease_until - ${by}, paced_from = paced_from - ${by},
        departs_at = departs_at - ${by}, slowed_until = slowed_until - ${by},
        hold_until = hold_until - ${by}, refused_at = refused_at - ${by},
        connection_told_at = connection_told_at - ${by}, suspected_at = suspected_at - ${by},
        disconnected_until = disconnected_until - ${by},
        disconnected_at = disconnected_at - ${by}, trusted_from = trusted_from - ${by},
        told_disconnected_at = told_disconnected_at - ${by},
        hold_refused_at = hold_refused_at - ${by}, told_held_at = told_held_at - ${by},
        channel_limit_at = channel_limit_at - ${by}`;
    await transaction`
      update messaging.conversation_turns set started_at = started_at - ${by},
        due_at = due_at - ${by}, ends_by = ends_by - ${by}`;
    await transaction`
      update messaging.outbox set run_at = run_at - ${by}, created_at = created_at - ${by},
        settled_at = settled_at - ${by}`;
    await transaction`
      update messaging.questions set created_at = created_at - ${by},
        opened_at = opened_at - ${by}, expires_at = expires_at - ${by},
        due_at = due_at - ${by}, ended_at = ended_at - ${by}`;
    await transaction`
      update messaging.payments set created_at = created_at - ${by},
        expires_at = expires_at - ${by}, paid_at = paid_at - ${by}, changed_at = changed_at - ${by}`;
    await transaction`
      update messaging.event_endpoints set failing_since = failing_since - ${by},
        previous_secret_until = previous_secret_until - ${by}`;
    await transaction`
      update messaging.event_deliveries set next_attempt_at = next_attempt_at - ${by},
        created_at = created_at - ${by}`;
    await transaction`update messaging.media set created_at = created_at - ${by}`;
    await transaction`update messaging.erased_messages set erased_at = erased_at - ${by}`;
    await transaction`update messaging.provider_events set received_at = received_at - ${by}`;
    await transaction`update messaging.events set recorded_at = recorded_at - ${by}`;
    await transaction`update messaging.unmatched_statuses set received_at = received_at - ${by}`;
    await transaction`
      update messaging.contact_activity set last_message_at = last_message_at - ${by}`;
    await transaction`update messaging.rate_limits set whole_at = whole_at - ${by}`;
    await transaction`update messaging.client_tokens set expires_at = expires_at - ${by}`;
  });
}
