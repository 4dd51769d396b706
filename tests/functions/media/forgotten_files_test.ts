/** Files go with their person, and when their time is over. */

import { callApp } from "../../support/stack/app_calls.ts";
import { createContactsApiApp } from "../../../functions/contacts-api/app.ts";
import { assertEquals } from "../../support/assert.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";
import { testVault } from "../../support/fixtures/tenant.ts";
import { createFileClient, serveFiles } from "./received_file_client.ts";

const picture = padded(heads.jpeg, 20_000);

Deno.test("an erased person's files are deleted from the storage with the person", async () => {
  await using files = await createFileClient();
  const { client } = files;
  const { stack } = client;
  const tenant = await client.createTenant();
  stack.provider.answer = serveFiles({ "/photo": picture });
  await files.receiveZapi(tenant, "/photo");
  await files.receiveZapi(tenant, "/photo", { phone: "5511966665555" });
  await files.fetchFiles();
  assertEquals(stack.storage.files.size, 2);
  const [first] = await stack.admin`
    select contact_id from messaging.messages order by created_at limit 1`;
  const app = createContactsApiApp({ ...stack.services, vault: testVault });
  const response = await callApp(app, `/contacts-api/contacts/${first?.["contact_id"]}`, {
    method: "DELETE",
    headers: { "X-Client-Token": tenant.token },
  });
  assertEquals([response.status, (await response.json()).success], [202, true]);
  for (let run = 0; run < 5 && stack.storage.files.size > 1; run++) {
    await stack.dispatch({ durationMs: 200 });
  }
  assertEquals(stack.storage.files.size, 1);
  const left = await stack.admin`select contact_id from messaging.media`;
  assertEquals(left.length, 1);
  assertEquals(left[0]?.["contact_id"] === first?.["contact_id"], false);
});

Deno.test("a file past its time is expired, and its message says so", async () => {
  await using files = await createFileClient();
  const { client } = files;
  const { stack } = client;
  const tenant = await client.createTenant();
  stack.provider.answer = serveFiles({ "/photo": picture });
  await files.receiveZapi(tenant, "/photo");
  await files.fetchFiles();
  await stack.admin`update messaging.instances set retention_media_days = 1`;
  await stack.admin`
    update messaging.media set created_at = created_at - interval '2 days',
      stored_at = stored_at - interval '2 days'`;
  await stack.admin`
    update messaging.messages set created_at = created_at - interval '2 days',
      sent_at = sent_at - interval '2 days'`;
  for (let run = 0; run < 5 && stack.storage.files.size > 0; run++) {
    await stack.dispatch({ durationMs: 200 });
  }
  assertEquals(stack.storage.files.size, 0);
  const { mediaStatus, mediaUrl, message } = await files.lastMessage(tenant);
  assertEquals([mediaStatus, mediaUrl, message], ["expired", null, "A peça"]);
});
