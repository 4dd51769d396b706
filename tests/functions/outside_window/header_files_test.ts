/** Templates of a ladder whose headers are files of ours. */

import { assertEquals } from "../../support/assert.ts";
import { acceptMessage } from "../../support/doubles/http_double.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { picture, uploadFile } from "../media_api/media_calls.ts";
import { type LadderClient, phone, startLadderClient } from "./ladder_client.ts";

interface Prepared {
  readonly mediaId: string;
  /** What a rung says of its template. */
  readonly template: Readonly<Record<string, unknown>>;
}

async function prepare(ladder: LadderClient): Promise<Prepared> {
  const { stack } = ladder.client;
  stack.provider.answer = (request) =>
    request.path.endsWith("/media") ? Response.json({ id: "4711" }) : acceptMessage(request);
  const templateId = await ladder.createTemplate("com_foto");
  await stack.admin`
    update messaging.message_templates
    set components = '[{"type": "HEADER", "format": "IMAGE"}, {"type": "BODY", "text": "Veja"}]'
    where id = ${templateId}`;
  const { mediaId } = (await uploadFile(stack, ladder.tenant, picture)).body;
  return { mediaId, template: { templateId, variables: { header: { mediaId } } } };
}

/** The headers that the channel was sent, in order. */
function listHeaders(ladder: LadderClient): unknown[] {
  const sent = ladder.client.stack.provider.requests.filter(({ path }) =>
    path.endsWith("/messages")
  );
  return sent.flatMap(({ json }) =>
    (json["template"] as { components?: unknown[] } | undefined)?.components ?? []
  );
}

const header = { type: "header", parameters: [{ type: "image", image: { id: "4711" } }] };

for (const name of ["template", "invite"] as const) {
  Deno.test(`outsideWindow: the file of a rung's header is handed to the channel (${name}), at once and later`, async () => {
    await using ladder = await startLadderClient();
    const { stack } = ladder.client;
    const { template } = await prepare(ladder);
    const now = await ladder.send([{ [name]: template }]);
    assertEquals(now.status, 200, JSON.stringify(now.body));
    await stack.dispatch();
    assertEquals(listHeaders(ladder), [header]);
    const later = await ladder.send([{ [name]: template }], {
      ...{ delayMessage: 60, phone: "5511977770099" },
    });
    assertEquals(later.status, 200, JSON.stringify(later.body));
    await letTimePass(stack.admin, 61);
    await stack.dispatch();
    assertEquals(listHeaders(ladder), [header, header]);
  });
}

Deno.test("outsideWindow: a rung's file that is not there is refused as a send refuses it", async () => {
  await using ladder = await startLadderClient();
  const { template, mediaId } = await prepare(ladder);
  const { stack } = ladder.client;
  const unknown = { ...template, variables: { header: { mediaId: crypto.randomUUID() } } };
  const { status, body } = await ladder.send([{ template: unknown }]);
  assertEquals([status, body.error], [404, "media_not_found"]);
  await stack.admin`update messaging.media set status = 'expired', storage_path = null`;
  const gone = await ladder.send([{ invite: template }]);
  assertEquals([gone.status, gone.body.error], [410, "media_expired"], mediaId);
  assertEquals(stack.provider.requests.length, 0);
});

Deno.test("outsideWindow: a batch's ladder takes the file of a rung's header, and keeps it while it may send", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const { template, mediaId } = await prepare(ladder);
  const call = (path: string, body: unknown): Promise<Response> =>
    Promise.resolve(
      stack.request(`/batches-api/batches${path}`, {
        method: "POST",
        headers: { "X-Client-Token": ladder.tenant.token, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      }).then(({ status, body }) => Response.json(body, { status })),
    );
  const create = (asked: unknown): Promise<Response> =>
    call("", {
      message: { messageType: "text", message: "Oi" },
      outsideWindow: [{ template: asked }],
      recipients: [{ phone }],
    });
  const unknown = await create({
    ...template,
    variables: { header: { mediaId: crypto.randomUUID() } },
  });
  assertEquals([unknown.status, (await unknown.json()).error], [404, "media_not_found"]);
  const { batchId } = await (await create(template)).json();
  const [kept] = await stack.admin`
    select messaging.is_file_of_batch(${ladder.tenant.instanceId}, ${mediaId}) as kept`;
  assertEquals(kept?.["kept"], true);
  await call(`/${batchId}/start`, {});
  await ladder.dispatchUntil(2);
  assertEquals(listHeaders(ladder), [header]);
});

Deno.test("outsideWindow: a waiting ladder's file outlives its upload's time, and the erasure of whom it was sent to", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const { template, mediaId } = await prepare(ladder);
  await ladder.knowPerson(1, "5511966660000");
  const sent = await stack.send(ladder.tenant, {
    ...{ phone: "5511966660000", messageType: "image", mediaId },
  });
  assertEquals(sent.status, 200, JSON.stringify(sent.body));
  await stack.admin`update messaging.media set expires_at = now() + interval '1 minute'`;
  await ladder.send([{ template }], { delayMessage: 3_600 });
  const [row] = await stack.admin`
    select expires_at > now() + interval '29 days' as kept,
      messaging.media_of_contact(${sent.body.contactId}::uuid) as own
    from messaging.media`;
  assertEquals(row, { kept: true, own: [] });
});
