/** The simulator's Business Agent holds conversations and hands them over, as the service reads it. */
import { readWhatsappCloudEvents } from "../../../shared/providers/whatsapp_cloud/events.ts";
import type { ControlAction, ControlRole } from "../../../shared/model/control.ts";
import { registry } from "../../../shared/providers/registry.ts";
import { factsOf } from "../../support/providers/registered_facts.ts";
import { assertEquals } from "../../support/assert.ts";
import { waitUntil } from "../../support/wait_until.ts";
import { type SimulatorServer, startSimulator } from "./simulator_server.ts";

const instance = "1064";
const waId = "551191234567";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

interface OfficialNumber {
  /** What the channel has told of it. */
  readonly told: Body[];
  /** The same, as the service reads it. */
  heard(): unknown[];
  /** The customer writes. */
  write(text: string): Promise<void>;
  /** The service asks for, passes or releases the conversation. @returns what became of it. */
  control(action: ControlAction, role?: ControlRole): Promise<unknown>;
}

async function openNumber(server: SimulatorServer): Promise<OfficialNumber> {
  const told: Body[] = [];
  server.simulator.webhooks.has = () => true;
  server.simulator.webhooks.send = (_provider, _instance, event) => void told.push(event);
  const config = factsOf.whatsapp_cloud.simulated(server.url, instance, "x".repeat(32));
  const provider = await registry.get("whatsapp_cloud").open(config, crypto.randomUUID());
  return {
    told,
    heard: () =>
      told.flatMap((event) => [...readWhatsappCloudEvents(event, instance)]).map((event) => {
        switch (event?.kind) {
          case "message":
            return [event.origin, event.isStandby === true];
          case "control":
            return [event.reason, event.handledBy, event.former ?? event.summary ?? null];
          default:
            return undefined;
        }
      }).filter((event) => event !== undefined),
    write: async (text) => {
      const content = { messageType: "text", text };
      const reply = { provider: "whatsapp_cloud", instance, waId, content };
      assertEquals((await server.post("/replies", reply)).status, 201);
    },
    control: async (action, role) => {
      const asked = { action: "control", to: waId, control: action, role } as const;
      const receipt = await provider.act(asked, { timeoutMs: 5_000 });
      return receipt.outcome === "rejected" ? receipt.code : receipt.outcome;
    },
  };
}

Deno.test("the Business Agent gets what customers write, answers it, and hands over who asks for a person", async () => {
  await using server = startSimulator();
  const { told, heard, write, control } = await openNumber(server);
  await write("Oi");
  assertEquals(heard(), [["inbound", false]]);
  await server.post("/business-agents", { instance, isOn: true });
  told.length = 0;
  await write("Oi de novo");
  await waitUntil(() => heard().length === 2, { what: "the agent's answer" });
  await write("Quero um atendente");
  await waitUntil(() => heard().length === 5, { what: "the handover" });
  assertEquals(heard(), [
    ...[["inbound", true], ["echo", true], ["inbound", true], ["echo", true]],
    ["passed", "us", "channel_agent"],
  ]);
  told.length = 0;
  await write("É sobre a consulta");
  assertEquals(heard(), [["inbound", false]]);
  assertEquals(await control("pass", "ai_agent"), "done");
  assertEquals(await control("pass", "ai_agent"), "100", "only the owner passes");
  await write("E agora?");
  await waitUntil(() => heard().length === 3, { what: "the agent's answer" });
  assertEquals(await control("take"), "done");
  assertEquals(await control("release"), "done");
  await server.post("/business-agents", { instance, isOn: true, isEscalation: false });
  assertEquals(await control("take"), "2494191");
  told.length = 0;
  const handover = { instance, waId, to: "service", summary: "Quer remarcar." };
  assertEquals((await server.post("/handovers", handover)).status, 201);
  await server.post("/handovers", { instance, waId, to: "other" });
  assertEquals(heard(), [["passed", "us", "channel_agent"], ["taken", "other", null]]);
  assertEquals((await server.post("/handovers", { instance, waId, to: "nobody" })).status, 400);
});

Deno.test("a holder keeps the conversation until the person has not written for 24 hours, also without an agent", async () => {
  const startMs = Date.parse("2026-11-23T12:00:00Z");
  let hours = 0;
  await using server = startSimulator({ now: () => new Date(startMs + hours * 3_600_000) });
  const { told, heard, write } = await openNumber(server);
  await server.post("/handovers", { instance, waId, to: "other" });
  told.length = 0;
  for (hours of [20, 40, 65]) await write("Oi");
  assertEquals(heard(), [["inbound", true], ["inbound", true], ["inbound", false]]);
});

Deno.test("a pass without a role goes to the escalation partner: the service, or another responder", async () => {
  await using server = startSimulator();
  const { told, heard, write, control } = await openNumber(server);
  for (const isEscalation of [true, false]) {
    await server.post("/business-agents", { instance, isOn: true, isEscalation });
    for (const role of [undefined, "escalation"] as const) {
      await server.post("/handovers", { instance, waId, to: "service" });
      assertEquals(await control("pass", role), "done");
      told.length = 0;
      await write("Oi");
      assertEquals(heard(), [["inbound", !isEscalation]]);
    }
    await server.post("/handovers", { instance, waId, to: "service" });
    assertEquals(await control("pass", "marketing"), "done");
    told.length = 0;
    await write("Oi");
    assertEquals(heard(), [["inbound", true]]);
  }
});

Deno.test("what is taken is the escalation partner's, and what is passed names who had it", async () => {
  await using server = startSimulator();
  const { told } = await openNumber(server);
  await server.post("/business-agents", { instance, isOn: true });
  for (const to of ["service", "agent", "service", "other"]) {
    await server.post("/handovers", { instance, waId, to });
  }
  const values = told.map(({ entry: [{ changes: [{ value }] }] }) => value);
  assertEquals(values.map((value) => [value.type, value[value.type]]), [
    ["control_passed", { previous_owner_role: "ai_agent", new_owner_role: "escalation" }],
    ["control_taken", { new_owner_role: "escalation", metadata: "Control taken" }],
    ["control_passed", { previous_owner_role: "ai_agent", new_owner_role: "escalation" }],
    ["control_taken", { new_owner_role: "escalation", metadata: "Control taken" }],
  ]);
});
