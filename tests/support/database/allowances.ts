import type { Sql } from "postgres";

/**
 * Takes back what has returned of the rate limits' allowances since their last call, so that a test may
 * count what remains: on a slow machine a request returns between two calls. Works where less than three
 * quarters of one have, so use a limit of a few requests a minute. The quarter is for a call beside, which
 * may have spent a request since the clock was read. The rows are locked in one order, because calls that
 * come at once each keep the allowances of all.
 *
 * @param sql a client of the superuser.
 */
export async function keepAllowances(sql: Sql): Promise<void> {
  await sql.begin(async (transaction) => {
    await transaction`
      select from messaging.rate_limits order by token_id, function_name for update`;
    await transaction`
      update messaging.rate_limits r
      set whole_at = clock.now + share.seconds * interval '1 s'
        * ceil(extract(epoch from r.whole_at - clock.now)::float8 / share.seconds - 0.25)
      from messaging.client_tokens t
      join messaging.instances i on i.id = t.instance_id
      cross join lateral (select 60.0::float8 / i.requests_per_minute) as share(seconds)
      cross join lateral (select clock_timestamp()) as clock(now)
      where t.id = r.token_id and i.requests_per_minute is not null`;
  });
}
