import type { Sql } from "postgres";
import { hashClientToken } from "../../../shared/crypto/client_token.ts";
import type { Database } from "../../../shared/database/database.ts";
import type { RateLimit } from "../../../shared/database/rpcs/tenancy.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { callAsGroup, type CallOutcome, callSingly } from "../../support/database/call_groups.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { countMixes, transports } from "../../support/database/transports.ts";
import { createTenant, createToken } from "../../support/fixtures/tenant.ts";
import { createSeededRandom, type SeededRandom } from "../../support/seeded_random.ts";

const direct = transports[0];
assert(direct?.name === "direct");

interface AuthenticationCall {
  readonly tokenHash: string;
  readonly functionName: string;
}

for (const transport of transports) {
  Deno.test(`${transport.name}: any mix of grouped authentications gives what the same calls give one by one`, async () => {
    const random = createSeededRandom();
    await using database = await createTestDatabase();
    await using open = transport.open(database.url);
    for (let round = 0; round < countMixes(transport, 8); round++) {
      const [grouped, single] = [await createSide(database), await createSide(database)];
      const places = drawCalls(random);
      const { outcomes, rpcNames } = await callAsGroup(
        open.database,
        "authenticate_client",
        places.map((place) => grouped.at(place)),
      );
      const expected = await callSingly(
        open.database,
        "authenticate_client",
        places.map((place) => single.at(place)),
      );
      const seed = `seed ${random.seed}, round ${round}`;
      assertEquals(rpcNames, ["authenticate_clients"], seed);
      assertEquals(grouped.describe(outcomes), single.describe(expected), seed);
    }
  });
}

/** In whole shares of a limit of three, because a slow machine lets seconds pass within the call. */
function inShares(limit: RateLimit): RateLimit {
  const { resetSeconds, retryAfterSeconds } = limit;
  const inShare = (seconds: number): number => Math.ceil(seconds / 20) * 20;
  return {
    ...limit,
    resetSeconds: inShare(resetSeconds),
    retryAfterSeconds: retryAfterSeconds === null ? null : inShare(retryAfterSeconds),
  };
}

Deno.test("a limit that ends within a group refuses the calls beyond it, each with its own headers", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const { tokenHash } = await createLimitedToken(database.admin, 3);
  const readLimits = async (calls: number): Promise<(RateLimit | null)[]> => {
    const { outcomes } = await authenticate(open.database, tokenHash, calls);
    return outcomes.map((outcome) =>
      "result" in outcome ? inShares(outcome.result.rateLimit) : null
    );
  };
  const refused = { limit: 3, remaining: 0, resetSeconds: 60, retryAfterSeconds: 20 };
  assertEquals(await readLimits(5), [
    { limit: 3, remaining: 2, resetSeconds: 20, retryAfterSeconds: null },
    { limit: 3, remaining: 1, resetSeconds: 40, retryAfterSeconds: null },
    { limit: 3, remaining: 0, resetSeconds: 60, retryAfterSeconds: null },
    refused,
    refused,
  ]);
  const isAllowed = (limit: RateLimit | null): boolean => limit?.retryAfterSeconds === null;
  assertEquals((await readLimits(2)).map(isAllowed), [false, false]);
  // A third of the allowance has come back: one of three calls is allowed.
  await database
    .admin`update messaging.rate_limits set whole_at = whole_at - interval '21 seconds'`;
  assertEquals((await readLimits(3)).map(isAllowed), [true, false, false]);
});

Deno.test("n calls of a token in a group are one write to its rate limit, and count as n", async () => {
  await using database = await createTestDatabase({ own: true });
  await using open = direct.open(database.url);
  const { tokenHash } = await createLimitedToken(database.admin, 5);
  const { admin } = database;
  await admin`create table public.writes (whole_at timestamptz)`;
  await admin.unsafe(`
    create function public.note_write() returns trigger language plpgsql as $$
    begin insert into public.writes values (new.whole_at); return new; end $$;
    grant all on table public.writes to service_role;
    create trigger note before insert or update on messaging.rate_limits
    for each row execute function public.note_write()`);
  await authenticate(open.database, tokenHash, 1);
  await admin`delete from public.writes`;
  const { outcomes } = await authenticate(open.database, tokenHash, 3);
  assertEquals(
    outcomes.map((outcome) => "result" in outcome && outcome.result.rateLimit.remaining),
    // A call comes back after twelve seconds.
    [3, 2, 1],
  );
  const writes = await admin`select from public.writes`;
  // The insert that conflicts, and the update.
  assertEquals(writes.length, 2);
});

Deno.test("a token that is revoked before its group runs is refused, and the group's other tokens are not", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const tenant = await createTenant(database.admin);
  const other = await createTenant(database.admin);
  const { instanceId, tokenId } = tenant;
  await callFunction(database.sql, "revoke_client_token", { instanceId, tokenId });
  const { outcomes } = await callAsGroup(
    open.database,
    "authenticate_client",
    await Promise.all([tenant, other, tenant].map(async ({ token }) => ({
      tokenHash: await hashClientToken(token),
      functionName: "send-message",
    }))),
  );
  assertEquals(
    outcomes.map((outcome) => "result" in outcome && outcome.result.tokenId),
    [null, other.tokenId, null],
  );
});

Deno.test("groups of the same tokens in any order never deadlock, and together count every call", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const random = createSeededRandom();
  const tokens = await Promise.all(
    Array.from({ length: 6 }, () => createLimitedToken(admin, 18_000)),
  );
  const sql = database.connect({ max: 8 });
  const groups = Array.from(
    { length: 64 },
    () => {
      const calls = tokens.toSorted(() => random.between(-1, 1)).map(({ tokenHash }) => ({
        ...{ tokenHash, functionName: "send-message" },
      }));
      const group = (): Promise<{ results: { rateLimit: RateLimit }[] }> =>
        callFunction<{ results: { rateLimit: RateLimit }[] }>(sql, "authenticate_clients", {
          calls,
        })
          // A group that waits long for a lock is rolled back, and called again.
          .catch((error) => error.code === "55P03" ? group() : Promise.reject(error));
      return group();
    },
  );
  for (const { results } of await Promise.all(groups)) {
    assert(results.every(({ rateLimit }) => rateLimit.retryAfterSeconds === null));
  }
  const counted = await admin<{ seconds: number }[]>`
    select extract(epoch from whole_at - clock_timestamp())::double precision as seconds
    from messaging.rate_limits`;
  assertEquals(counted.length, tokens.length);
  for (const { seconds } of counted) assert(seconds <= 64 * 60 / 18_000, `${seconds}`);
});

Deno.test("a group writes the last use of its tokens, once a minute, and waits for no lock on them", async () => {
  await using database = await createTestDatabase();
  await using open = direct.open(database.url);
  const { admin } = database;
  const used = await createTenant(admin);
  const tokenHash = await hashClientToken(used.token);
  const readUse = async (): Promise<Date | null> => {
    const [row] = await admin<{ last_used_at: Date | null }[]>`
      select last_used_at from messaging.client_tokens where id = ${used.tokenId}`;
    return row?.last_used_at ?? null;
  };
  await admin.begin(async (holder) => {
    await holder`select from messaging.client_tokens for no key update`;
    const { outcomes } = await authenticate(open.database, tokenHash, 2);
    assert(outcomes.every((outcome) => "result" in outcome && outcome.result.tokenId !== null));
  });
  assertEquals(await readUse(), null);
  await authenticate(open.database, tokenHash, 2);
  const first = await readUse();
  assert(first !== null);
  await authenticate(open.database, tokenHash, 2);
  assertEquals(await readUse(), first);
});

/** Authenticates one token so many times in one group. */
function authenticate(
  transport: Database,
  tokenHash: string,
  calls: number,
): ReturnType<typeof callAsGroup> {
  const request = { tokenHash, functionName: "send-message" };
  return callAsGroup(
    transport,
    "authenticate_client",
    Array<AuthenticationCall>(calls).fill(request),
  );
}

async function createLimitedToken(
  admin: Sql,
  requestsPerMinute: number | null,
): Promise<{ instanceId: string; tokenHash: string }> {
  const { instanceId, token } = await createTenant(admin);
  await admin`
    update messaging.instances set requests_per_minute = ${requestsPerMinute}
    where id = ${instanceId}`;
  return { instanceId, tokenHash: await hashClientToken(token) };
}

/** Which of a side's tokens calls, and which function. */
type Place = readonly [token: number, functionName: string];

interface Side {
  at(place: Place): AuthenticationCall;
  /** The outcomes in words that do not depend on the side. */
  describe(outcomes: readonly CallOutcome[]): unknown;
}

/** Tokens of every kind: with limits and without, two of one instance, invalid in every way. */
async function createSide({ admin }: TestDatabase): Promise<Side> {
  const limited = await Promise.all(
    // Small: a slow machine must not give one of few calls back while they are made one by one.
    [1, 2, 3, 18_000, null].map((limit) => createLimitedToken(admin, limit)),
  );
  const instanceId = limited[1]?.instanceId ?? "";
  const past = new Date(Date.now() - 1_000);
  const further = await Promise.all([
    createToken(admin, instanceId),
    createToken(admin, instanceId, { expiresAt: past }),
    createToken(admin, instanceId, { revokedAt: past }),
  ]);
  const hashes = [
    ...limited.map(({ tokenHash }) => tokenHash),
    ...await Promise.all(further.map(({ token }) => hashClientToken(token))),
    "0".repeat(64),
  ];
  const ids = new Map<unknown, string>(
    limited.map((token, number) => [token.instanceId, `instance ${number}`]),
  );
  return {
    at: ([token, functionName]) => ({ tokenHash: hashes[token] ?? "", functionName }),
    describe: (outcomes) =>
      outcomes.map((outcome) => {
        assert("result" in outcome, JSON.stringify(outcome));
        const { tokenId, instance, rateLimit } = outcome.result;
        return {
          all: Object.keys(outcome.result),
          hasVersion: outcome.result.instanceVersion !== null,
          isValid: tokenId !== null,
          instance: ids.get(instance?.instanceId),
          members: instance && Object.keys(instance),
          provider: instance?.provider,
          references: instance?.references.length,
          limit: rateLimit?.limit,
          // A large allowance comes back while the calls are made one by one.
          remaining: rateLimit?.limit > 60 ? "many" : rateLimit?.remaining,
          isRefused: rateLimit !== null && rateLimit.retryAfterSeconds !== null,
        };
      }),
  };
}

function drawCalls(random: SeededRandom): Place[] {
  const kinds = Math.floor(random.between(1, 10));
  const length = Math.floor(random.between(2, 33));
  return Array.from({ length }, () => [
    Math.floor(random.between(0, kinds)),
    random.between(0, 3) < 1 ? "messages-api" : "send-message",
  ]);
}
