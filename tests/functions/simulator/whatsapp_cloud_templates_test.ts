/**
 * Templates at the simulated official channel: they must be created, approved and filled to be
 * sent.
 */
import { assertEquals, assertMatch, assertObjectMatch } from "../../support/assert.ts";
import { type SimulatorServer, startSimulator } from "./simulator_server.ts";

const bearer = { Authorization: "Bearer T" };
const account = "/graph/v23.0/10229/message_templates";
const visit = {
  name: "visita",
  language: "pt_BR",
  category: "UTILITY",
  components: [{ type: "BODY", text: "Visita em {{1}}, às {{2}}." }],
};

function sendTemplate(
  server: SimulatorServer,
  name: string,
  values: readonly string[],
): ReturnType<SimulatorServer["post"]> {
  const parameters = values.map((text) => ({ type: "text", text }));
  return server.post("/graph/v23.0/106540352242922/messages", {
    messaging_product: "whatsapp",
    to: "5511912345678",
    type: "template",
    template: {
      name,
      language: { code: "pt_BR" },
      components: values.length === 0 ? [] : [{ type: "body", parameters }],
    },
  }, bearer);
}

function codeOf(json: unknown): number | undefined {
  return (json as { error?: { code: number } }).error?.code;
}

Deno.test("a template is sent once it is created and approved, to a customer who never wrote", async () => {
  await using server = startSimulator();
  const unknown = await sendTemplate(server, "visita", ["25/11", "14h"]);
  assertEquals([unknown.status, codeOf(unknown.json)], [404, 132001]);
  const created = await server.post(account, visit, bearer);
  assertObjectMatch(created.json as object, { status: "PENDING", category: "UTILITY" });
  const { id: templateId } = created.json as { id: string };
  assertMatch(templateId, /^\d+$/);
  const pending = await sendTemplate(server, "visita", ["25/11", "14h"]);
  assertEquals([pending.status, codeOf(pending.json)], [404, 132001], "not approved yet");
  const review = await server.post("/template-reviews", { templateId, status: "APPROVED" });
  assertObjectMatch(review.json as object, { id: templateId, status: "APPROVED" });
  assertEquals((await sendTemplate(server, "visita", ["25/11", "14h"])).status, 200);
  assertEquals((await server.read("/messages")).total, 1);
});

Deno.test("a paused, a disabled and a rejected template are refused with Meta's codes", async () => {
  await using server = startSimulator();
  const { json } = await server.post(account, visit, bearer);
  const { id: templateId } = json as { id: string };
  const codes = [["PAUSED", 400, 132015], ["DISABLED", 400, 132016], ["REJECTED", 404, 132001]];
  for (const [status, httpStatus, code] of codes) {
    await server.post("/template-reviews", { templateId, status });
    const refused = await sendTemplate(server, "visita", ["25/11", "14h"]);
    assertEquals([refused.status, codeOf(refused.json)], [httpStatus, code]);
  }
  assertEquals(
    (await sendTemplate(server, "promocao", ["20%"])).status,
    404,
    "a sample under review",
  );
  const nobody = { templateId: "1", status: "APPROVED" };
  assertEquals((await server.post("/template-reviews", nobody)).status, 404);
  const invalid = { templateId, status: "GREAT" };
  assertEquals((await server.post("/template-reviews", invalid)).status, 400);
});

Deno.test("values more or fewer than the variables of the wording are refused with 132000", async () => {
  await using server = startSimulator();
  for (const values of [[], ["25/11"], ["25/11", "14h", "15h"]]) {
    const { status, json } = await sendTemplate(server, "lembrete_consulta", values);
    assertEquals([status, codeOf(json)], [400, 132000]);
    const { error } = json as { error: { error_data: { details: string } } };
    assertMatch(error.error_data.details, /^body: number of localizable_params \(\d\) does not/);
  }
  assertEquals((await sendTemplate(server, "lembrete_consulta", ["25/11", "14h"])).status, 200);
});

Deno.test("an account lists the samples and its own templates, in pages, with or without a version", async () => {
  await using server = startSimulator();
  await server.post("/graph/10229/message_templates", visit, bearer);
  const own = { ...visit, language: "en_US", parameter_format: "named" };
  await server.post(account, own, bearer);
  const list = async (path: string): Promise<Record<string, unknown>[]> => {
    const templates: Record<string, unknown>[] = [];
    let next: string | undefined = `${server.url}${path}?limit=4`;
    while (next !== undefined) {
      const response: Response = await fetch(next, { headers: bearer });
      const { data, paging } = await response.json();
      templates.push(...data);
      next = paging.next;
    }
    return templates;
  };
  const templates = await list("/graph/10229/message_templates");
  assertEquals(await list(account), templates);
  assertEquals(
    templates.slice(4).map(({ name, language, status, parameter_format }) => [
      name,
      language,
      status,
      parameter_format,
    ]),
    [["visita", "pt_BR", "PENDING", "POSITIONAL"], ["visita", "en_US", "PENDING", "NAMED"]],
  );
  assertEquals((await list("/graph/v23.0/77/message_templates")).length, 4, "another account");
});

Deno.test("an invalid template, or one that exists in this language, is not created", async () => {
  await using server = startSimulator();
  assertEquals((await server.post(account, visit)).status, 401, "no token");
  const wrong = [
    { ...visit, name: "Visita" },
    { ...visit, language: "portuguese" },
    { ...visit, category: "NEWS" },
    { ...visit, components: [] },
    { ...visit, components: [{ type: "FOOTER", text: "…" }] },
    "no json",
  ];
  for (const body of wrong) {
    const { status, json } = await server.post(account, body, bearer);
    assertEquals([status, codeOf(json)], [400, 100], JSON.stringify(body));
  }
  assertEquals((await server.post(account, visit, bearer)).status, 200);
  const again = await server.post(account, visit, bearer);
  assertEquals(again.status, 400);
  assertObjectMatch(again.json as object, { error: { code: 100, error_subcode: 2_388_024 } });
});
