import { assertEquals } from "../../support/assert.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { picture, readMedia, uploadFile } from "./media_calls.ts";

/** The storage paths that the outbox promises to delete. */
async function listPromises({ admin }: MessagingStack): Promise<string[]> {
  const rows = await admin<{ path: string }[]>`
    select jsonb_array_elements_text(payload->'paths') as path
    from messaging.outbox where kind = 'media_delete'`;
  return rows.map(({ path }) => path);
}

Deno.test("an upload whose process was killed is forgotten with its file after half an hour, a slow one is not", async () => {
  await using stack = await startMessagingStack();
  const { instanceId } = await stack.createTenant();
  const begin = async (ageMinutes: number): Promise<string> => {
    const mediaId = crypto.randomUUID();
    const upload = { instanceId, mediaId, kind: "image", mimeType: "image/png", fileName: null };
    const { storagePath } = await stack.database.rpc("begin_upload", upload);
    await stack.admin`
      update messaging.media set created_at = now() - make_interval(mins => ${ageMinutes})
      where id = ${mediaId}`;
    return storagePath;
  };
  const [killed, slow] = [await begin(31), await begin(29)];
  await stack.dispatch();
  assertEquals(await listPromises(stack), [killed]);
  const rows = await stack.admin`select storage_path from messaging.media`;
  assertEquals(rows.map((row) => row["storage_path"]), [slow]);
});

Deno.test("an upload that no message has named goes when its time is over, and says so", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const phone = "5511987654321";
  const [unused, used] = [
    (await uploadFile(stack, tenant, picture)).body.mediaId,
    (await uploadFile(stack, tenant, picture)).body.mediaId,
  ];
  await stack.send(tenant, { phone, messageType: "image", mediaId: used });
  await stack.admin`
    update messaging.media set expires_at = now() - interval '1 second'
    where expires_at is not null`;
  const before = await readMedia(stack, tenant, unused);
  assertEquals([before.status, before.body.error], [410, "media_expired"]);
  const late = await stack.send(tenant, { phone, messageType: "image", mediaId: unused });
  assertEquals([late.status, late.body.error], [410, "media_expired"]);
  await stack.dispatch();
  assertEquals(await listPromises(stack), [`${tenant.instanceId}/${unused}`]);
  assertEquals((await readMedia(stack, tenant, unused)).status, 410);
  assertEquals((await readMedia(stack, tenant, used)).status, 302);
});
