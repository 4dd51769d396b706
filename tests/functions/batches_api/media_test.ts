import { assert, assertEquals } from "../../support/assert.ts";
import {
  callBatches,
  changeBatch,
  listRecipients,
  runBatches,
} from "../../support/fixtures/batch_calls.ts";
import { type Answer, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { picture, uploadFile } from "../media_api/media_calls.ts";

Deno.test("a batch sends a file of ours: each gateway message gets a link, and the file stays for the batch", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { mediaId } = (await uploadFile(stack, tenant, picture)).body;
  const created = await callBatches(stack, tenant, "POST", "/batches", {
    message: { messageType: "image", mediaId, message: "Oi {{nome}}" },
    recipients: listRecipients(2),
  });
  assertEquals([created.status, created.body.added], [201, 2]);
  const [row] = await stack.admin`select expires_at from messaging.media`;
  assertEquals(row?.["expires_at"], null);
  await changeBatch(stack, tenant, created.body.batchId, "start");
  await runBatches(stack, 2);
  const links = stack.provider.requests.map(({ json }) => new URL(String(json["image"])));
  assertEquals(links.length, 2);
  assert(links.every(({ pathname }) => pathname.endsWith(`/links/${mediaId}/file.jpg`)));
});

Deno.test("a batch whose file is another instance's, gone or of another type is refused", async () => {
  await using stack = await startMessagingStack();
  const [tenant, other] = [await stack.createTenant(), await stack.createTenant()];
  const { mediaId } = (await uploadFile(stack, tenant, picture)).body;
  const create = async (sender: typeof tenant, messageType = "image"): Promise<unknown> => {
    const { status, body } = await callBatches(stack, sender, "POST", "/batches", {
      message: { messageType, mediaId },
      recipients: listRecipients(1),
    });
    return [status, body.error, ...body.issues?.map(({ path }: { path: string }) => path) ?? []];
  };
  assertEquals(await create(other), [404, "media_not_found"]);
  assertEquals(await create(tenant, "audio"), [400, "invalid_request", "message.mediaId"]);
  await stack.admin`update messaging.media set status = 'expired'`;
  assertEquals(await create(tenant), [410, "media_expired"]);
});

Deno.test("a file that the storage has lost is refused with a new batch, and its waiting messages fail", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { mediaId } = (await uploadFile(stack, tenant, picture)).body;
  const create = (): Promise<Answer> =>
    callBatches(stack, tenant, "POST", "/batches", {
      message: { messageType: "image", mediaId },
      recipients: listRecipients(2),
    });
  const { body: { batchId } } = await create();
  await changeBatch(stack, tenant, batchId, "start");
  await stack.storage.delete([`${tenant.instanceId}/${mediaId}`]);
  await runBatches(stack, 2);
  const { body } = await callBatches(stack, tenant, "GET", `/batches/${batchId}/recipients`);
  const told = body.items.map(
    (item: { status: string; lastError: { code: string } | null }) => [
      item.status,
      item.lastError?.code,
    ],
  );
  assertEquals(told, [["failed", "media_expired"], ["failed", "media_expired"]]);
  assertEquals(stack.provider.requests.length, 0);
  const again = await create();
  assertEquals([again.status, again.body.error], [410, "media_expired"]);

  const lost = (await uploadFile(stack, tenant, picture)).body.mediaId;
  await stack.storage.delete([`${tenant.instanceId}/${lost}`]);
  const refused = await callBatches(stack, tenant, "POST", "/batches", {
    message: { messageType: "image", mediaId: lost },
    recipients: listRecipients(1),
  });
  assertEquals([refused.status, refused.body.error], [410, "media_expired"]);
});

Deno.test("a batch whose file the official channel does not take is refused as a whole", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const { mediaId } = (await uploadFile(stack, tenant, picture)).body;
  await stack.admin`update messaging.media set mime_type = 'application/zip'`;
  const { status, body } = await callBatches(stack, tenant, "POST", "/batches", {
    message: { messageType: "document", mediaId },
    validation: "permissive",
    recipients: listRecipients(2),
  });
  assertEquals([status, body.error], [400, "invalid_request"]);
  assertEquals(body.issues.map(({ path }: { path: string }) => path), ["message.mediaId"]);
});

Deno.test("a file that a batch has yet to send outlives the erasure of a person who received it before", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { mediaId } = (await uploadFile(stack, tenant, picture)).body;
  const sent = await stack.send(tenant, {
    ...{ phone: "5511955550000", messageType: "image", mediaId },
  });
  assertEquals(sent.status, 200);
  const { body: { batchId } } = await callBatches(stack, tenant, "POST", "/batches", {
    message: { messageType: "image", mediaId },
    recipients: listRecipients(2),
  });
  const listOwn = async (): Promise<unknown> => {
    const [row] = await stack.admin`
      select messaging.media_of_contact(${sent.body.contactId}::uuid) as files`;
    return row?.["files"];
  };
  assertEquals(await listOwn(), []);
  await changeBatch(stack, tenant, batchId, "cancel");
  assertEquals(await listOwn(), [mediaId]);
});
