import { runAdminCommand } from "../../../supabase/admin/commands.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import {
  type AdminClient,
  createAdminClient,
  createWorkspace,
  issuePaths,
} from "./admin_client.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

const brazil = { name: "Brazil", callingCodes: ["55"] };
const rest = { name: "Other", callingCodes: [] };
const rate = (market: string, category: string, amount: string, effectiveFrom = "2026-10-01") => ({
  ...{ market, category, amount, effectiveFrom },
});
const table = {
  currency: "USD",
  markets: [brazil, rest],
  rates: [
    rate("Brazil", "marketing", "0.0625"),
    rate("Brazil", "service", "0.008", "2026-07-01"),
    rate("Brazil", "service", "0.0125"),
    rate("Other", "service", "1"),
  ],
};

const put = (client: AdminClient, body: Body) => client.call("PUT", "/rates", { body });

Deno.test("rates are replaced as a whole, read as they were given, and counted by what is other", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const read = async (): Promise<Body> =>
    (await client.call("GET", `/rates?workspaceId=${workspaceId}`)).body;
  assertEquals(await read(), {
    ...{ success: true, workspaceId, currency: null, markets: [], rates: [] },
  });
  const first = await put(client, { workspaceId, ...table });
  assertEquals([first.status, first.body], [201, {
    ...{ success: true, added: 4, removed: 0, changed: 0 },
  }]);
  assertEquals(await read(), { success: true, workspaceId, ...table });
  const same = structuredClone(table) as Body;
  same.rates[0].amount = "0.06250";
  assertEquals((await put(client, { workspaceId, ...same })).body, {
    ...{ success: true, added: 0, removed: 0, changed: 0 },
  });
  const other = {
    ...table,
    markets: [{ ...brazil, callingCodes: ["55", "5511"] }, rest],
    rates: [
      rate("Brazil", "marketing", "0.0625"),
      rate("Other", "service", "2"),
      rate("Other", "utility", "0"),
    ],
  };
  const expected = { success: true, added: 1, removed: 2, changed: 2 };
  const dry = await put(client, { workspaceId, ...other, dryRun: true });
  assertEquals([dry.status, dry.body], [200, expected]);
  assertEquals(await read(), { success: true, workspaceId, ...table }, "a dry run changes nothing");
  assertEquals((await put(client, { workspaceId, ...other })).body, expected);
  assertEquals((await put(client, { workspaceId, ...other, currency: "EUR" })).body, {
    ...{ success: true, added: 0, removed: 0, changed: 3 },
  });
  const neighbour = await createWorkspace(client);
  assertEquals((await client.call("GET", `/rates?workspaceId=${neighbour}`)).body.rates, []);
});

Deno.test("every fault of a table is named at once, and nothing of it is stored", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const refused = await put(client, {
    workspaceId,
    currency: "dollars",
    markets: [brazil, brazil, rest, { name: "None", callingCodes: [] }, {
      name: "Long",
      callingCodes: ["+55"],
    }],
    rates: [
      rate("Brazil", "service", "0.01"),
      rate("Brazil", "service", "0.02"),
      rate("Chile", "service", "0.02"),
      rate("Brazil", "utility", "-1"),
      { ...rate("Brazil", "utility", "1"), amount: 0.1 },
      rate("Brazil", "Utility", "1"),
      rate("Brazil", "utility", "1", "2026-02-30"),
    ],
  });
  assertEquals(refused.status, 400);
  assertEquals(issuePaths(refused).sort(), [
    ...["currency", "markets.1.callingCodes.0", "markets.1.name", "markets.3.callingCodes"],
    ...["markets.4.callingCodes.0", "rates.1", "rates.2.market", "rates.3.amount"],
    ...["rates.4", "rates.4.amount", "rates.5.category", "rates.6.effectiveFrom"],
  ]);
  const { body } = await client.call("GET", `/rates?workspaceId=${workspaceId}`);
  assertEquals([body.currency, body.rates], [null, []]);
  const missing = "00000000-0000-4000-8000-000000000000";
  const unknown = await put(client, { workspaceId: missing, ...table });
  assertEquals([unknown.status, unknown.body.error], [404, "workspace_not_found"]);
});

Deno.test("two tables that are put at once are one after the other: one of them stands whole", async () => {
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const tables = ["EUR", "USD", "BRL"].map((currency, place) => ({
    ...{ workspaceId, currency, markets: [brazil] },
    rates: [rate("Brazil", "service", String(place + 1))],
  }));
  const answers = await Promise.all(tables.map((body) => put(client, body)));
  assertEquals(answers.map(({ status }) => status), [201, 201, 201]);
  const { body } = await client.call("GET", `/rates?workspaceId=${workspaceId}`);
  const stored = tables.find(({ currency }) => currency === body.currency);
  assertEquals(body, { success: true, ...stored });
});

const csv = `market,callingCodes,category,amount,currency,effectiveFrom
Brazil,55,marketing,0.0625,USD,2026-10-01
Brazil,55,service,0.0080,USD,2026-10-01
"Rest, of all",,service,0.01,USD,2026-10-01
`;

async function run(client: AdminClient, args: readonly string[], file = csv): Promise<Body> {
  let [out, errors] = ["", ""];
  const code = await runAdminCommand({
    api: {
      call: async (method, path, body) => {
        const answer = await client.call(method, `/${path}`, { body });
        assertEquals([200, 201].includes(answer.status), true, JSON.stringify(answer.body));
        return answer.body;
      },
    },
    print: (text) => void (out += text),
    printError: (text) => void (errors += text),
    readFile: () => Promise.resolve(file),
    readStdin: () => Promise.resolve(""),
  }, args);
  return { code, lines: out.trim().split("\n"), errors };
}

Deno.test("the command line imports a file, and shows beforehand what would be other", async () => {
  await using client = await createAdminClient();
  const workspace = ["--workspace", await createWorkspace(client)];
  const importing = ["rates", "import", "rates.csv", ...workspace];
  const dry = await run(client, [...importing, "--dry-run"]);
  assertEquals(dry.lines.slice(0, 3), [
    "+ Brazil, marketing, from 2026-10-01: 0.0625 USD (55)",
    "+ Brazil, service, from 2026-10-01: 0.008 USD (55)",
    "+ Rest, of all, service, from 2026-10-01: 0.01 USD",
  ]);
  assertEquals((await run(client, ["rates", "list", ...workspace])).lines, ["None."]);
  await run(client, importing);
  const changed = csv.replace("0.0080", "0.009").replace(/Brazil,55,marketing.*\n/, "");
  assertEquals((await run(client, [...importing, "--dry-run"], changed)).lines.slice(0, 2), [
    "- Brazil, marketing, from 2026-10-01: 0.0625 USD (55)",
    "~ Brazil, service, from 2026-10-01: 0.008 USD (55) → 0.009 USD (55)",
  ]);
  assertEquals((await run(client, [...importing, "--dry-run"])).lines[0], "added    0");
  assertEquals((await run(client, ["rates", "list", ...workspace])).lines.length, 4);
});

Deno.test("every fault of a file is named by its line, those that the API would refuse too, and nothing is sent", async () => {
  await using client = await createAdminClient();
  const importing = ["rates", "import", "rates.csv", "--workspace", "w"];
  const errorsOf = async (file: string): Promise<string[]> => {
    const { code, errors } = await run(client, importing, file);
    assertEquals(code, 1);
    return errors.trim().split("\n");
  };
  const wrong = `${csv}Brazil,55 551,utility,1,USD,2026-10-01

Chile,56
Chile,56,utility,1,EUR,2026-10-01
"Two
lines",57,utility,-0.1,USD,2026-02-30
Peru,56,Utility,"1,5",USD,2026-10-01
Brazil,55,service,0.009,USD,2026-10-01
Other,5x,service,1,USD,2026-10-01
`;
  assertEquals(await errorsOf(wrong), [
    "line 5: Brazil has other calling codes in an earlier line",
    "line 7: has 2 values, not 6",
    "line 8: has the currency EUR, others USD",
    "line 9: name must not contain control characters",
    "line 9: market must not contain control characters",
    "line 9: amount must be a decimal text from 0, such as 0.0625",
    "line 9: effectiveFrom must be a valid date, YYYY-MM-DD",
    "line 11: category must look like marketing",
    "line 11: amount must be a decimal text from 0, such as 0.0625",
    "line 11: callingCodes must be of one market: another one has this calling code, or none too",
    "line 12: must be the only rate of its market and category from that day on",
    "line 13: callingCodes must be 1 to 7 digits",
  ]);
  assertEquals(await errorsOf(csv.replaceAll("USD", "dollar")), [
    "line 2: currency must be three capital letters, such as USD",
  ]);
  assertEquals(await errorsOf(csv.slice(0, csv.indexOf("\n"))), ["line 2: there are no rates"]);
  assertEquals(await errorsOf("market,amount\n"), [
    "line 1: has no column callingCodes, category, currency, effectiveFrom",
  ]);
});

Deno.test("the documentation's file of invented rates can be imported, and says that it is invented", async () => {
  const text = await Deno.readTextFile(
    new URL("../../../docs/invented_rates.csv", import.meta.url),
  );
  await using client = await createAdminClient();
  const workspaceId = await createWorkspace(client);
  const { code, errors } = await run(
    client,
    ["rates", "import", "rates.csv", "--workspace", workspaceId],
    text,
  );
  assertEquals([code, errors], [0, ""]);
  const { body } = await client.call("GET", `/rates?workspaceId=${workspaceId}`);
  assertEquals(body.rates.length, 10);
  assert(body.markets.every(({ name }: Body) => name.endsWith(" (invented)")));
});

Deno.test("a file with a byte order mark, formulas or open quotes is read as it is written or refused, and one of 10 MB refused at once", async () => {
  await using client = await createAdminClient();
  const workspace = await createWorkspace(client);
  const importing = ["rates", "import", "rates.csv", "--workspace", workspace];
  const marked = csv.replace("Brazil,55,service", "=1+1,56,service");
  // A name is a text, whatever a spreadsheet would make of it.
  const { lines } = await run(client, [...importing, "--dry-run"], `\uFEFF${marked}`);
  assertEquals(lines[0], "+ =1+1, service, from 2026-10-01: 0.008 USD (56)");

  const errorsOf = async (file: string): Promise<string[]> => {
    const { code, errors } = await run(client, importing, file);
    assertEquals(code, 1);
    return errors.trim().split("\n");
  };
  assertEquals(await errorsOf(csv.replace("0.0625", "=0.05+0.01")), [
    "line 2: amount must be a decimal text from 0, such as 0.0625",
  ]);
  assertEquals(await errorsOf(csv.replace("\nBrazil,55,service", '\n"Brazil,55,service')), [
    "line 3: has a quote that does not close",
  ]);
  const [header = ""] = csv.split("\n");
  const rows = Array.from(
    { length: 200_000 },
    (_, place) => `Market number ${place},${place},marketing,0.1,USD,2026-10-01`,
  );
  const large = [header, ...rows].join("\n");
  assertEquals(large.length > 10_000_000, true);
  assertEquals(await errorsOf(large), ["the file has 200000 rates, of at most 5000"]);
  assertEquals((await run(client, ["rates", "list", "--workspace", workspace])).lines, ["None."]);
});
