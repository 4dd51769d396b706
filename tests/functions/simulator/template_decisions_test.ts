/** Templates at the simulated official channel after their creation: edits, deletions, Meta's decisions. */
import { assert, assertEquals } from "../../support/assert.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { type SimulatorServer, startSimulator } from "./simulator_server.ts";

const bearer = { Authorization: "Bearer T" };
const account = "/graph/v23.0/10229/message_templates";
const visit = {
  name: "visita",
  language: "pt_BR",
  category: "UTILITY",
  components: [{ type: "BODY", text: "Visita em {{1}}, às {{2}}." }],
};
const reworded = [{ type: "BODY", text: "A visita é em {{1}}, às {{2}}." }];

// deno-lint-ignore no-explicit-any -- the answers of the Graph API
type Json = any;

async function create(server: SimulatorServer, changes: object = {}): Promise<string> {
  const { status, json } = await server.post(account, { ...visit, ...changes }, bearer);
  assertEquals(status, 200);
  return (json as Json).id;
}

async function list(server: SimulatorServer, query = ""): Promise<Json> {
  const response = await fetch(`${server.url}${account}?limit=100${query}`, { headers: bearer });
  return await response.json();
}

const subcodeOf = (json: unknown): number => (json as Json).error?.error_subcode;

Deno.test("an approved template is edited once in 24 hours and ten times in 30 days, and stays approved", async () => {
  let now = Date.parse("2026-11-01T12:00:00Z");
  await using server = startSimulator({ now: () => new Date(now) });
  const id = await create(server);
  const edit = async (body: object): Promise<unknown[]> => {
    const { status, json } = await server.post(`/graph/v23.0/${id}`, body, bearer);
    return [status, subcodeOf(json)];
  };
  assertEquals(await edit({ components: reworded }), [400, 2388025], "it awaits its review");
  await server.post("/template-reviews", { templateId: id, status: "APPROVED" });
  for (let count = 0; count < 10; count++) {
    assertEquals(await edit({ components: reworded }), [200, undefined]);
    assertEquals(await edit({ components: reworded }), [400, 2388025], "the same day");
    now += 86_400_000;
  }
  assertEquals(await edit({ components: reworded }), [400, 2388025], "the eleventh");
  assertEquals(await edit({ category: "MARKETING" }), [400, 2388025], "its category");
  const [template] = (await list(server, "&name=visita")).data;
  assertEquals([template.status, template.components], ["APPROVED", reworded]);
  await server.post("/template-reviews", { templateId: id, status: "REJECTED", reason: "SCAM" });
  assertEquals(await edit({ category: "MARKETING" }), [200, undefined]);
  const [again] = (await list(server, "&name=visita")).data;
  assertEquals([again.status, again.category], ["PENDING", "MARKETING"]);
});

Deno.test("one language is deleted by its id, all by their name alone, and the name stays taken", async () => {
  await using server = startSimulator();
  const id = await create(server);
  await create(server, { language: "en_US" });
  const remove = async (query: string): Promise<number> => {
    const response = await fetch(`${server.url}${account}?${query}`, {
      method: "DELETE",
      headers: bearer,
    });
    await response.body?.cancel();
    return response.status;
  };
  const languages = async (): Promise<string[]> =>
    (await list(server, "&name=visita")).data.map(({ language }: Json) => language);
  assertEquals(await remove(`name=visita&hsm_id=${id}`), 200);
  assertEquals(await languages(), ["en_US"]);
  assertEquals(await remove(`name=visita&hsm_id=${id}`), 400);
  assertEquals(subcodeOf((await server.post(account, visit, bearer)).json), 2388023);
  await create(server, { language: "es" });
  assertEquals(await remove("name=visita"), 200);
  assertEquals(await languages(), []);
});

Deno.test("a list tells how many templates the account has and may have, where it is asked", async () => {
  await using server = startSimulator();
  await create(server);
  assertEquals((await list(server)).summary, undefined);
  const { summary } = await list(server, "&summary=message_template_count");
  assertEquals([summary.message_template_count, summary.message_template_limit], [5, 250]);
  assertEquals((await list(server, "&source=AUTO_GENERATED")).data, []);
});

Deno.test("a wording that Meta refuses by rule is refused with its code", async () => {
  await using server = startSimulator();
  const refusal = async (text: string): Promise<number> =>
    subcodeOf(
      (await server.post(account, { ...visit, components: [{ type: "BODY", text }] }, bearer)).json,
    );
  assertEquals(await refusal("{{1}} é a visita"), 2388299);
  assertEquals(await refusal("A visita é {{1}}"), 2388299);
});

Deno.test("a sample file is taken in two calls, and named by its handle", async () => {
  await using server = startSimulator();
  const begun = await server.post(
    "/graph/v23.0/4711/uploads?file_name=a.png&file_length=3&file_type=image/png",
    {},
    bearer,
  );
  const { id } = begun.json as { id: string };
  const send = async (headers: Record<string, string>, body: string): Promise<Json> =>
    await (await fetch(`${server.url}/graph/v23.0/${id}`, { method: "POST", headers, body }))
      .json();
  const oauth = { Authorization: "OAuth T", file_offset: "0" };
  assert((await send(bearer, "abc")).error !== undefined, "a bearer token is another thing");
  assert((await send(oauth, "ab")).error !== undefined, "too short");
  assert((await send(oauth, "abc")).h.length > 0);
  const wrong = "/graph/v23.0/4711/uploads?file_length=3&file_type=text/plain";
  assertEquals((await server.post(wrong, {}, bearer)).status, 400);
});

Deno.test("what Meta decides is told to every number's webhook, with the template's id, name and language", async () => {
  await using server = startSimulator();
  const bodies: Json[] = [];
  await using receiver = startTestServer(async (request) => {
    if (request.method === "POST") bodies.push(await request.json());
    return new Response(new URL(request.url).searchParams.get("hub.challenge"));
  });
  const told = (): Json[] =>
    bodies.flatMap(({ entry }) => entry).flatMap(({ id, changes }: Json) =>
      changes.map((change: Json) => ({ account: id, ...change }))
    );
  const webhook = { provider: "whatsapp_cloud", appSecret: "s", verifyToken: "t" };
  await server.post("/webhooks", { ...webhook, instance: "1", url: receiver.origin });
  const templateId = await create(server);
  const named = {
    message_template_id: Number(templateId),
    message_template_name: "visita",
    message_template_language: "pt_BR",
  };
  const decisions = [
    ["/template-reviews", { status: "REJECTED", reason: "PROMOTIONAL" }, {
      field: "message_template_status_update",
      value: { event: "REJECTED", reason: "PROMOTIONAL", ...named },
    }],
    ["/template-reviews", { status: "APPROVED" }, {
      field: "message_template_status_update",
      value: { event: "APPROVED", reason: "NONE", ...named },
    }],
    ["/template-categories", { category: "MARKETING" }, {
      field: "template_category_update",
      value: { correct_category: "MARKETING", new_category: "UTILITY", ...named },
    }],
    ["/template-categories", { category: "MARKETING", when: "now" }, {
      field: "template_category_update",
      value: { previous_category: "UTILITY", new_category: "MARKETING", ...named },
    }],
    ["/template-components", { components: [{ type: "BODY", text: "Dia {{1}}" }] }, {
      field: "message_template_components_update",
      value: { message_template_element: "Dia {{1}}", ...named },
    }],
    ["/template-qualities", { quality: "RED" }, {
      field: "message_template_quality_update",
      value: { previous_quality_score: "UNKNOWN", new_quality_score: "RED", ...named },
    }],
  ] as const;
  for (const [index, [path, body, expected]] of decisions.entries()) {
    assertEquals((await server.post(path, { templateId, ...body })).status, 200);
    await waitUntil(() => told().length === index + 1, { what: `decision ${index}` });
    assertEquals(told()[index], { account: "10229", ...expected });
  }
  const { items } = await server.read("/templates?wabaId=10229");
  const { status, category, quality_score } = items.at(-1) as Json;
  assertEquals([status, category, quality_score], ["APPROVED", "MARKETING", { score: "RED" }]);
  for (const path of ["/template-categories", "/template-components", "/template-qualities"]) {
    const components = [{ type: "BODY", text: "a" }];
    const body = { templateId: "1", category: "UTILITY", quality: "RED", components };
    assertEquals((await server.post(path, body)).status, 404);
  }
});
