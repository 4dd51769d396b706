import { eventDescriptions } from "../../../shared/events/event_data.ts";
import { arrangeAnswer } from "../../../shared/model/arrange_answer.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { demoTarget, type Service, startService } from "../contract/service.ts";

const api = "/functions/v1/contacts-api";
const { phone } = demoTarget;

/** What contact.consent_changed told, in order. */
async function readChanges({ sql }: Service): Promise<unknown[]> {
  const events = await sql`
    select data from messaging.events where type = 'contact.consent_changed' order by sequence`;
  const { data: schema } = eventDescriptions["contact.consent_changed"];
  return events.map(({ data }) => arrangeAnswer(schema, data));
}

async function readLog({ sql }: Service): Promise<unknown[][]> {
  const log = await sql`
    select marketing, source, evidence from messaging.consent_log order by id`;
  return log.map((row) => [row["marketing"], row["source"], row["evidence"]]);
}

Deno.test("consent is recorded with its source and instant, and contact.consent_changed tells it", async () => {
  await using service = await startService();
  const since = Date.now() - 5_000;
  const answer = await service.post(`${api}/consent`, {
    phone,
    marketing: "denied",
    source: "call_center",
    evidence: "Call 4711",
  });
  const { contactId, consent } = answer;
  assertEquals(Object.keys(answer).sort(), ["consent", "contactId", "success"]);
  assertEquals([consent.marketing, consent.source], ["denied", "call_center"]);
  const at = Date.parse(consent.at);
  assert(at > since && at <= Date.now() + 5_000, consent.at);
  assertEquals(await readChanges(service), [{ contactId, phone, name: null, consent }]);
  assertEquals(await readLog(service), [["denied", "call_center", "Call 4711"]]);
  const granted = await service.post(`${api}/consent`, { contactId, marketing: "granted" });
  assertEquals([granted.contactId, granted.consent.source], [contactId, "api"]);
  assertEquals((await readChanges(service)).length, 2);
});

Deno.test("a statement of what is known already is logged, and changes and tells nothing", async () => {
  await using service = await startService();
  const statement = { phone, marketing: "denied" };
  const first = await service.post(`${api}/consent`, { ...statement, source: "form" });
  const [before] = await service.sql`select updated_at from messaging.contact_activity`;
  const again = await service.post(`${api}/consent`, {
    ...statement,
    evidence: { form: 7, ip: "::1" },
  });
  assertEquals(again.consent, first.consent);
  assertEquals((await readChanges(service)).length, 1);
  assertEquals(await readLog(service), [["denied", "form", null], ["denied", "api", {
    form: 7,
    ip: "::1",
  }]]);
  const [after] = await service.sql`select updated_at from messaging.contact_activity`;
  assertEquals(after, before);
});

Deno.test("a change of consent is a change of the contact", async () => {
  await using service = await startService();
  await service.post(`${api}/create`, { ...demoTarget, name: "Ana" });
  await service
    .sql`update messaging.contact_activity set updated_at = updated_at - interval '1 day'`;
  await service.post(`${api}/consent`, { phone, marketing: "granted" });
  const changed = await service.sql`
    select c.phone from messaging.contact_activity a
    join messaging.contacts c on c.id = a.contact_id
    where a.updated_at > now() - interval '1 hour'`;
  assertEquals(changed.map((row) => row["phone"]), [phone]);
});

Deno.test("a person who is known by a user id alone can decide", async () => {
  await using service = await startService();
  const userId = "BR.13491208655302741918";
  const { contactId } = await service.post(`${api}/consent`, { userId, marketing: "denied" });
  const again = await service.post(`${api}/consent`, { contactId, marketing: "granted" });
  assertEquals([again.contactId, again.consent.marketing], [contactId, "granted"]);
});

Deno.test("consent refuses no contact, two, an unknown one, and an unknown word, and stores nothing then", async () => {
  await using service = await startService();
  const contactId = crypto.randomUUID();
  const refused = [
    [{ marketing: "denied" }, 400, "phone"],
    [{ phone, contactId, marketing: "denied" }, 400, "contactId"],
    [{ userId: "br.1", marketing: "denied" }, 400, "userId"],
    [{ phone, marketing: "no" }, 400, "marketing"],
    [{ phone }, 400, "marketing"],
    [{ phone, marketing: "denied", source: 7 }, 400, "source"],
    [{ phone, marketing: "denied", evidence: 7 }, 400, "evidence"],
  ] as const;
  for (const [body, status, path] of refused) {
    const { status: answered, body: answer } = await service.call("POST", `${api}/consent`, body);
    assertEquals([answered, answer.issues?.[0]?.path], [status, path]);
  }
  const unknown = await service.call("POST", `${api}/consent`, { contactId, marketing: "denied" });
  assertEquals([unknown.status, unknown.body.error], [404, "contact_not_found"]);
  assertEquals([await readLog(service), await readChanges(service)], [[], []]);
});
