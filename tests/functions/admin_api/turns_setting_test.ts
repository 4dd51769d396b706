/** `turns` of an instance: a wrong one is refused by the name of its field, and changes nothing. */

import { assertEquals } from "../../support/assert.ts";
import { countRows, createAdminClient, createWorkspace, instanceRequest } from "./admin_client.ts";

const quiet = "turns.quietSeconds";
const longest = "turns.maxSeconds";

/** Each with the fields that are named. */
const wrong: readonly (readonly [unknown, readonly string[]])[] = [
  ["8 seconds", ["turns"]],
  [8, ["turns"]],
  [true, ["turns"]],
  [[], ["turns"]],
  [[{ quietSeconds: 8, maxSeconds: 60 }], ["turns"]],
  [{}, [quiet, longest]],
  [{ quietSeconds: 8 }, [longest]],
  [{ maxSeconds: 60 }, [quiet]],
  [{ quietSeconds: null, maxSeconds: 60 }, [quiet]],
  [{ quietSeconds: "PT8S", maxSeconds: 60 }, [quiet]],
  [{ quietSeconds: [8], maxSeconds: { seconds: 60 } }, [quiet, longest]],
  [{ quietSeconds: 1, maxSeconds: 60 }, [quiet]],
  [{ quietSeconds: 0, maxSeconds: 0 }, [quiet, longest]],
  [{ quietSeconds: -8, maxSeconds: 60 }, [quiet]],
  [{ quietSeconds: 61, maxSeconds: 300 }, [quiet]],
  [{ quietSeconds: 2, maxSeconds: 4 }, [longest]],
  [{ quietSeconds: 2, maxSeconds: 301 }, [longest]],
  [{ quietSeconds: 2, maxSeconds: 1e300 }, [longest]],
  [{ quietSeconds: 30, maxSeconds: 20 }, [longest]],
];

Deno.test("a wrong turns is 400 with its fields, when an instance is created and when it is changed, and nothing is stored", async () => {
  await using client = await createAdminClient();
  const request = instanceRequest(await createWorkspace(client));
  const turns = { quietSeconds: 2, maxSeconds: 5 };
  const { instanceId } = await client.create("/instances", { ...request, turns });
  const path = `/instances/${instanceId}`;
  for (const [value, fields] of wrong) {
    for (
      const answer of [
        await client.call("POST", "/instances", { body: { ...request, turns: value } }),
        await client.call("PATCH", path, { body: { name: "changed", turns: value } }),
      ]
    ) {
      const named = [...new Set(answer.body.issues.map(({ path }: { path: string }) => path))];
      assertEquals(
        [answer.status, answer.body.error, named],
        [400, "invalid_request", fields],
        JSON.stringify(value),
      );
    }
  }
  assertEquals(await countRows(client, "instances"), 1);
  const { body } = await client.call("GET", path);
  assertEquals([body.name === "changed", body.turns], [false, turns]);
});

Deno.test("the bounds of turns are taken, null ends them, and an unknown member is named and not stored", async () => {
  await using client = await createAdminClient();
  const request = instanceRequest(await createWorkspace(client));
  const { instanceId, turns } = await client.create("/instances", request);
  assertEquals(turns, null);
  const path = `/instances/${instanceId}`;
  for (
    const value of [
      { quietSeconds: 2, maxSeconds: 5 },
      { quietSeconds: 60, maxSeconds: 60 },
      { quietSeconds: 60, maxSeconds: 300 },
      null,
    ]
  ) {
    const { status, body } = await client.call("PATCH", path, { body: { turns: value } });
    assertEquals([status, body.turns], [200, value]);
  }
  const misspelt = { quietSeconds: 8, maxSeconds: 60, maxMessages: 3 };
  const { body } = await client.call("PATCH", path, { body: { turns: misspelt } });
  assertEquals(body.ignoredFields, ["turns.maxMessages"]);
  const [row] = await client.database.admin`select turns from messaging.instances`;
  assertEquals(row!["turns"], { quietSeconds: 8, maxSeconds: 60 });
});
