import type { Sql } from "postgres";

/**
 * Ends every lease at once. Only for a database that this stack alone uses: the workers of the former
 * stack have died, so no lease is in use. The dispatcher then marks messages in flight `unconfirmed`
 * and continues with the rest.
 */
export async function endLeases(sql: Sql): Promise<void> {
  await sql.begin(async (transaction) => {
    await transaction`
      update messaging.message_queue
      set lease_until = clock_timestamp(),
        visible_at = case when lane = 'unpaced' then clock_timestamp() end
      where claim_token is not null`;
    await transaction`
      update messaging.dispatch set lease_until = clock_timestamp() where in_flight is not null`;
    await transaction`
      update messaging.outbox set run_at = clock_timestamp()
      where claim_token is not null and status = 'pending'`;
  });
}
