import type { Sql } from "postgres";
import { assertEquals, assertRejects } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { alwaysOpen, createTenant, type TenantOptions } from "../../support/fixtures/tenant.ts";

interface Fit {
  readonly name: string;
  readonly zone: string;
  readonly window: {
    readonly start: string;
    readonly end: string;
    readonly days: readonly number[];
  };
  readonly holidays?: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly heldBy: "window" | "holiday" | null;
}

const weekdays = [1, 2, 3, 4, 5];
const everyDay = alwaysOpen.days;
const office = { start: "08:00", end: "20:00", days: weekdays };
const saoPaulo = "America/Sao_Paulo";
const newYork = "America/New_York";
const lordHowe = "Australia/Lord_Howe";

const fits: readonly Fit[] = [
  ...([
    ["inside", "2026-11-20T12:00:00-03:00", "2026-11-20T12:00:00-03:00", null],
    [
      "the start belongs to the window",
      "2026-11-20T08:00:00-03:00",
      "2026-11-20T08:00:00-03:00",
      null,
    ],
    ["before the start", "2026-11-20T07:59:59.999-03:00", "2026-11-20T08:00:00-03:00", "window"],
    ["just before the end", "2026-11-20T19:59:59.999-03:00", "2026-11-20T19:59:59.999-03:00", null],
    ["the end is outside", "2026-11-19T20:00:00-03:00", "2026-11-20T08:00:00-03:00", "window"],
    ["Friday evening", "2026-11-20T20:00:00-03:00", "2026-11-23T08:00:00-03:00", "window"],
    ["Saturday noon", "2026-11-21T12:00:00-03:00", "2026-11-23T08:00:00-03:00", "window"],
    ["Sunday early", "2026-11-22T03:00:00-03:00", "2026-11-23T08:00:00-03:00", "window"],
  ] as const).map(([name, from, to, heldBy]) => ({
    name,
    zone: saoPaulo,
    window: office,
    from,
    to,
    heldBy,
  })),
  {
    name: "a holiday",
    zone: saoPaulo,
    window: office,
    holidays: ["2026-11-20"],
    from: "2026-11-20T12:00:00-03:00",
    to: "2026-11-23T08:00:00-03:00",
    heldBy: "holiday",
  },
  {
    name: "the evening before a holiday",
    zone: saoPaulo,
    window: office,
    holidays: ["2026-11-20"],
    from: "2026-11-19T21:00:00-03:00",
    to: "2026-11-23T08:00:00-03:00",
    heldBy: "window",
  },
  {
    name: "a holiday on a weekend is a weekend",
    zone: saoPaulo,
    window: office,
    holidays: ["2026-11-21"],
    from: "2026-11-21T12:00:00-03:00",
    to: "2026-11-23T08:00:00-03:00",
    heldBy: "window",
  },
  {
    name: "the turn of the year",
    zone: saoPaulo,
    window: office,
    holidays: ["2027-01-01"],
    from: "2026-12-31T20:00:00-03:00",
    to: "2027-01-04T08:00:00-03:00",
    heldBy: "window",
  },
  {
    name: "24:00 is the day's end",
    zone: saoPaulo,
    window: { start: "08:00", end: "24:00", days: weekdays },
    from: "2026-11-19T23:59:59.999-03:00",
    to: "2026-11-19T23:59:59.999-03:00",
    heldBy: null,
  },
  {
    name: "after 24:00 it is the next day, before its start",
    zone: saoPaulo,
    window: { start: "08:00", end: "24:00", days: weekdays },
    from: "2026-11-20T00:00:00-03:00",
    to: "2026-11-20T08:00:00-03:00",
    heldBy: "window",
  },
  {
    name: "São Paulo 2018: midnight does not exist, the day begins at 01:00",
    zone: saoPaulo,
    window: { start: "00:00", end: "20:00", days: everyDay },
    from: "2018-11-03T21:00:00-03:00",
    to: "2018-11-04T01:00:00-02:00",
    heldBy: "window",
  },
  {
    name: "São Paulo 2018: a window that starts inside the gap opens at its end",
    zone: saoPaulo,
    window: { start: "00:30", end: "20:00", days: everyDay },
    from: "2018-11-03T21:00:00-03:00",
    to: "2018-11-04T01:00:00-02:00",
    heldBy: "window",
  },
  {
    name: "São Paulo 2018: a window that lies inside the gap does not open that day",
    zone: saoPaulo,
    window: { start: "00:15", end: "00:45", days: everyDay },
    from: "2018-11-03T21:00:00-03:00",
    to: "2018-11-05T00:15:00-02:00",
    heldBy: "window",
  },
  {
    name: "São Paulo 2018: the morning after the change",
    zone: saoPaulo,
    window: { start: "08:00", end: "20:00", days: everyDay },
    from: "2018-11-03T21:00:00-03:00",
    to: "2018-11-04T08:00:00-02:00",
    heldBy: "window",
  },
  {
    name: "São Paulo 2018: 23:30 comes twice, and opens the first time",
    zone: saoPaulo,
    window: { start: "23:30", end: "24:00", days: everyDay },
    from: "2018-02-17T22:00:00-02:00",
    to: "2018-02-17T23:30:00-02:00",
    heldBy: "window",
  },
  {
    name: "São Paulo 2018: between the two 23:30 the clock shows 23:10 again",
    zone: saoPaulo,
    window: { start: "23:30", end: "24:00", days: everyDay },
    from: "2018-02-17T23:10:00-03:00",
    to: "2018-02-17T23:30:00-03:00",
    heldBy: "window",
  },
  {
    name: "New York: a window that starts inside the gap opens at its end",
    zone: newYork,
    window: { start: "02:30", end: "20:00", days: everyDay },
    from: "2026-03-07T22:00:00-05:00",
    to: "2026-03-08T03:00:00-04:00",
    heldBy: "window",
  },
  {
    name: "New York: right before the gap",
    zone: newYork,
    window: { start: "02:30", end: "20:00", days: everyDay },
    from: "2026-03-08T01:59:00-05:00",
    to: "2026-03-08T03:00:00-04:00",
    heldBy: "window",
  },
  {
    name: "New York: 01:30 comes twice, and opens the first time",
    zone: newYork,
    window: { start: "01:30", end: "20:00", days: everyDay },
    from: "2026-10-31T22:00:00-04:00",
    to: "2026-11-01T01:30:00-04:00",
    heldBy: "window",
  },
  {
    name: "New York: a window that ends inside the fold opens twice",
    zone: newYork,
    window: { start: "00:00", end: "01:30", days: everyDay },
    from: "2026-11-01T01:10:00-05:00",
    to: "2026-11-01T01:10:00-05:00",
    heldBy: null,
  },
  {
    name: "New York: a day later in the week of the change",
    zone: newYork,
    window: office,
    from: "2026-03-06T21:00:00-05:00",
    to: "2026-03-09T08:00:00-04:00",
    heldBy: "window",
  },
  {
    name: "Lord Howe: the half-hour gap",
    zone: lordHowe,
    window: { start: "02:15", end: "20:00", days: everyDay },
    from: "2026-10-03T22:00:00+10:30",
    to: "2026-10-04T02:30:00+11:00",
    heldBy: "window",
  },
  {
    name: "Lord Howe: the half-hour fold",
    zone: lordHowe,
    window: { start: "01:45", end: "20:00", days: everyDay },
    from: "2026-04-04T22:00:00+11:00",
    to: "2026-04-05T01:45:00+11:00",
    heldBy: "window",
  },
  {
    name: "Apia: a day that never was",
    zone: "Pacific/Apia",
    window: { start: "08:00", end: "20:00", days: everyDay },
    from: "2011-12-29T21:00:00-10:00",
    to: "2011-12-31T08:00:00+14:00",
    heldBy: "window",
  },
];

Deno.test("an instant is moved into the send window, across daylight-saving changes, weekends and holidays", async () => {
  await using database = await createTestDatabase();
  for (const { name, zone, window, holidays, from, to, heldBy } of fits) {
    const fit = await fitInto(database.admin, { timeZone: zone, window, holidays }, from);
    assertEquals(fit, { slot: new Date(to).toISOString(), heldBy }, name);
  }
});

Deno.test("a slot is inside the window for every start time around a clock change", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const changes = [
    [saoPaulo, "2018-11-03T20:00:00Z"],
    [saoPaulo, "2018-02-17T20:00:00Z"],
    [newYork, "2026-03-07T20:00:00Z"],
    [newYork, "2026-10-31T20:00:00Z"],
    [lordHowe, "2026-10-03T08:00:00Z"],
    [lordHowe, "2026-04-04T08:00:00Z"],
  ] as const;
  for (const [timeZone, from] of changes) {
    const tenant = await createTenant(admin, { timeZone });
    const rows = await admin`
      select (variants.instance).window_start::text as starts, candidate.instant::text as candidate,
        f.slot::text as slot
      from (
        -- OFFSET 0: once for each variant, not for each use of it.
        select jsonb_populate_record(i, jsonb_build_object(
          'window_start', (time '00:00' + make_interval(mins => 15 * start.quarter))::text,
          'window_end', '24:00'
        )) as instance
        from messaging.instances i, generate_series(0, 20) as start(quarter)
        where i.id = ${tenant.instanceId}
        offset 0
      ) as variants
      cross join generate_series(0, 40) as step
      cross join lateral (
        select ${from}::timestamptz + make_interval(mins => 17 * step) as instant
      ) as candidate
      cross join lateral messaging.fit_send_window(variants.instance, candidate.instant, '0') as f
      where not messaging.is_send_window_open(variants.instance, f.slot)
        or f.slot < candidate.instant
        or exists (
          select from generate_series(
            date_bin('1 minute', candidate.instant, 'epoch') + interval '1 minute',
            f.slot - interval '1 minute', '1 minute'
          ) as earlier(instant)
          where messaging.is_send_window_open(variants.instance, earlier.instant)
        )
      limit 3`;
    assertEquals(rows.map((row) => ({ ...row })), [], `${timeZone} ${from}`);
  }
});

Deno.test("a window without a business day within three years is refused", async () => {
  await using database = await createTestDatabase();
  const tenant = await createTenant(database.admin, { window: { ...office, days: [7] } });
  await database.admin`
    insert into messaging.holidays (instance_id, day)
    select ${tenant.instanceId}, day from generate_series('2026-01-01'::date, '2031-01-01', '1 day') day`;
  const error = await assertRejects(() =>
    database.admin`
      select f.slot from messaging.instances i, messaging.fit_send_window(i, '2026-11-21T00:00Z', '0') f
      where i.id = ${tenant.instanceId}`
  );
  assertEquals((error as { code?: string }).code, "MI010");
});

async function fitInto(
  sql: Sql,
  options: TenantOptions,
  from: string,
): Promise<{ slot: string; heldBy: string | null }> {
  const { instanceId } = await createTenant(sql, options);
  const [row] = await sql<{ slot: Date; held_by: string | null }[]>`
    select f.slot, f.held_by from messaging.instances i, messaging.fit_send_window(i, ${from}::timestamptz, '0') f
    where i.id = ${instanceId}`;
  return { slot: row?.slot?.toISOString() ?? "none", heldBy: row?.held_by ?? null };
}
