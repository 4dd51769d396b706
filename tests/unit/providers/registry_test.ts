import { createRegistry } from "../../../shared/providers/create_registry.ts";
import { administrationRegistry } from "../../../shared/providers/administration_registry.ts";
import { registry } from "../../../shared/providers/registry.ts";
import { sendingRegistry } from "../../../shared/providers/sending_registry.ts";
import { webhookRegistry } from "../../../shared/providers/webhook_registry.ts";
import { type ProviderKind, providerKinds } from "../../../shared/model/provider_kind.ts";
import { factsOf } from "../../support/providers/registered_facts.ts";
import { assert, assertEquals, assertRejects, assertThrows } from "../../support/assert.ts";

/** A whole configuration of each provider. */
const valid = Object.fromEntries(
  providerKinds.map((kind) => [kind, factsOf[kind].config]),
) as Record<ProviderKind, Record<string, string>>;

function issuePaths(kind: ProviderKind, config: unknown): readonly string[] {
  const parsed = registry.get(kind).parseConfig(config);
  return parsed.ok ? [] : parsed.issues.map(({ path }) => path);
}

Deno.test("each provider's configuration passes whole, and unknown fields are dropped", () => {
  for (const kind of providerKinds) {
    const parsed = registry.get(kind).parseConfig({ ...valid[kind], extra: 1 });
    assert(parsed.ok);
    assertEquals<unknown>(parsed.config, valid[kind]);
    assertEquals(registry.get(kind).providerClass === "official", kind === "whatsapp_cloud");
  }
});

Deno.test("every missing required field and every invalid field is reported by its name", () => {
  for (const kind of providerKinds) {
    for (const field of Object.keys(valid[kind])) {
      const { [field]: _, ...rest } = valid[kind];
      assertEquals(
        issuePaths(kind, rest),
        factsOf[kind].optionalFields.includes(field) ? [] : [field],
      );
      assertEquals(issuePaths(kind, { ...rest, [field]: "" }), [field]);
      assertEquals(issuePaths(kind, { ...rest, [field]: 7 }), [field]);
    }
    assertEquals(issuePaths(kind, null), [""]);
  }
});

Deno.test("Evolution without a base URL is told that it has no public address", () => {
  const parsed = registry.get("evolution").parseConfig({ ...valid.evolution, baseUrl: undefined });
  assert(!parsed.ok);
  assertEquals(parsed.issues, [{
    path: "baseUrl",
    message: "is required, because Evolution is self-hosted",
  }]);
});

Deno.test("a base URL is http or https, without credentials, query or fragment", () => {
  const wrong = [
    "ftp://a",
    "a.example.com",
    "https://u:p@a",
    "https://a?x=1",
    "https://a#b",
    "//a",
  ];
  for (const baseUrl of wrong) {
    assertEquals(issuePaths("zapi", { ...valid.zapi, baseUrl }), ["baseUrl"], baseUrl);
  }
});

Deno.test("values that would break out of a header or a path segment are refused", () => {
  const refused: [ProviderKind, string, string[]][] = [
    ["whatsapp_cloud", "accessToken", ["a b", "a\nb", "á"]],
    ["whatsapp_cloud", "phoneNumberId", [".", "..", "a\u0000", "\ud800"]],
    ["whatsapp_cloud", "apiVersion", ["23.0", "v23", "v23.0/me", "../v1.0"]],
    ["zapi", "gatewayInstanceId", [".", ".."]],
    ["zapi", "token", ["..", "a b"]],
    ["zapi", "clientToken", ["a\r\nx: y"]],
    ["zapi", "webhookSecret", ["a/b", "a?b", "a#b", "a%2fb", "..", "a b"]],
    ["evolution", "instanceName", ["..", "a\tb"]],
    ["evolution", "apiKey", ["a b"]],
    ["evolution", "webhookSecret", ["a/b"]],
  ];
  for (const [kind, field, values] of refused) {
    for (const value of values) {
      const paths = issuePaths(kind, { ...valid[kind], [field]: value });
      assertEquals(
        paths.length > 0 && paths.every((path) => path === field),
        true,
        `${field} ${value}`,
      );
    }
  }
});

Deno.test("no issue and no error repeats a configured value", async () => {
  const secret = "very secret value";
  const parsed = registry.get("zapi").parseConfig({ ...valid.zapi, token: secret });
  assert(!parsed.ok);
  assert(!JSON.stringify(parsed.issues).includes("secret"));
  const config = { ...valid.zapi, token: secret };
  const error = await assertRejects(
    () => registry.get("zapi").open(config, crypto.randomUUID()),
    Error,
    "does not fit: token",
  );
  assert(!error.message.includes("secret"));
});

Deno.test("the provider's own id of an instance is its configured one, or null", () => {
  assertEquals(registry.get("whatsapp_cloud").gatewayInstanceIdOf(valid.whatsapp_cloud), "1065");
  assertEquals(registry.get("zapi").gatewayInstanceIdOf(valid.zapi), "3C01");
  assertEquals(registry.get("evolution").gatewayInstanceIdOf(valid.evolution), "loja 1");
  for (const kind of providerKinds) {
    assertEquals(registry.get(kind).gatewayInstanceIdOf({}), null);
    assertEquals(registry.get(kind).gatewayInstanceIdOf(null), null);
  }
});

Deno.test("an official instance without a phone number id refuses every send, without a call", async () => {
  const { phoneNumberId: _, ...unconfigured } = valid.whatsapp_cloud;
  const content = { messageType: "text", message: "a" } as const;
  const provider = await registry.get("whatsapp_cloud").open(unconfigured, crypto.randomUUID());
  const receipt = await provider.send({ messageId: "own", to: "5511987654321", content }, {
    timeoutMs: 1_000,
  });
  assertEquals(receipt, {
    outcome: "rejected",
    code: "provider_outbound_channel_not_configured",
    message: "The instance has no phoneNumberId.",
    retryable: false,
    scope: "instance",
  });
});

Deno.test("the official channel is whatsapp_cloud alone", () => {
  const official = providerKinds.filter((kind) => registry.get(kind).providerClass === "official");
  assertEquals(official, ["whatsapp_cloud"]);
});

Deno.test("the registry lists every provider kind once, in the documented order", () => {
  assertEquals(registry.providers.map(({ kind }) => kind), [...providerKinds]);
  const [first] = registry.providers;
  assert(first !== undefined);
  assertThrows(() => createRegistry([first, first]), Error, "the same kind");
  assertThrows(() => registry.get("pigeon"), Error, "unknown provider kind: pigeon");
});

Deno.test("the registry of each role lists the same providers in the same order", () => {
  for (const { providers } of [sendingRegistry, webhookRegistry, administrationRegistry]) {
    assertEquals(providers.map(({ kind }) => kind), [...providerKinds]);
  }
});

Deno.test("only the official channel carries templates, and lists them", async () => {
  for (const kind of providerKinds) {
    const isOfficial = registry.get(kind).providerClass === "official";
    const provider = await registry.get(kind).open(valid[kind], crypto.randomUUID());
    assertEquals(provider.templates !== null, isOfficial);
    assertEquals(registry.get(kind).listTemplates !== null, isOfficial);
  }
});

Deno.test("every secret field of a configuration is one of its schema's", () => {
  for (const { kind, config } of registry.providers) {
    const fields = Object.keys(valid[kind as ProviderKind]);
    assert(config.secretFields.length > 0);
    for (const field of [...config.secretFields, ...Object.keys(config.leastLengths)]) {
      assert(fields.includes(field), `${kind}: ${field}`);
    }
  }
});
