import { demoPhone } from "../../../shared/openapi/demo_fixtures.ts";
import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import { demoInstanceId, demoTarget, startService } from "../contract/service.ts";

const contactsApi = "/functions/v1/contacts-api";

// Specification 2, Tag.
Deno.test("a tag is known by its name in any case, and made on first use with a random colour", async () => {
  await using service = await startService();
  const tags = ["Lead", "Black Friday", "vip"];
  const { tagsApplied } = await service.post(`${contactsApi}/create`, { ...demoTarget, tags });
  assertEquals(tagsApplied, tags);
  const again = await service.post(`${contactsApi}/update`, {
    ...demoTarget,
    phone: demoPhone,
    tags: ["LEAD", " vip "],
  });
  assertEquals(again.tagsApplied, ["Lead", "vip"]);
  const repeated = await service.post(`${contactsApi}/tags`, {
    ...demoTarget,
    phone: demoPhone,
    addTags: ["zeta", "Zeta", "ZETA"],
  });
  assertEquals(repeated.tagsApplied, ["zeta"], "as first written");
  const stored = await service.sql`
    select name, color from messaging.tags where instance_id = ${demoInstanceId} order by name`;
  assertEquals(stored.map(({ name }) => name), ["Black Friday", "Lead", "vip", "zeta"]);
  for (const { color } of stored) assertMatch(color, /^#[0-9a-f]{6}$/);
  assert(new Set(stored.map(({ color }) => color)).size > 1, "colours are drawn");
});

// Specification 2, Tag.
Deno.test("update adds to a contact's tags, tags removes those it is given", async () => {
  await using service = await startService();
  await service.post(`${contactsApi}/create`, { ...demoTarget, tags: ["a", "b"] });
  await service.post(`${contactsApi}/update`, { ...demoTarget, tags: ["c"] });
  const changed = await service.post(`${contactsApi}/tags`, {
    ...demoTarget,
    addTags: ["d"],
    removeTags: ["A", "unknown"],
  });
  assertEquals([changed.tagsApplied, changed.tagsRemoved], [["d"], ["a"]]);
  const left = await service.sql`
    select t.name from messaging.contact_tags ct join messaging.tags t on t.id = ct.tag_id
    where ct.contact_id = ${changed.contactId} order by t.name`;
  assertEquals(left.map(({ name }) => name), ["b", "c", "d"]);
});

Deno.test("marks that nobody sees make no other tag, an emoji keeps those that it is written with", async () => {
  await using service = await startService();
  const emoji = ["\u2764\ufe0f", "1\ufe0f\u20e3", "\u{1f469}\u200d\u{1f52c}"];
  const { tagsApplied } = await service.post(`${contactsApi}/create`, {
    ...demoTarget,
    tags: ["vip", "\u200bvip", "v\u2060ip\ufeff", "vip\u200d", "VIP\ufe0f", ...emoji],
  });
  assertEquals(tagsApplied, ["vip", ...emoji]);
  const { status } = await service.call("POST", `${contactsApi}/tags`, {
    ...demoTarget,
    addTags: ["\u200b\u2060"],
  });
  assertEquals(status, 400);
});
