/** A batch of a template whose header is a file of ours. */

import { assert, assertEquals } from "../../support/assert.ts";
import { acceptMessage, type DoubleRequest } from "../../support/doubles/http_double.ts";
import {
  callBatches,
  changeBatch,
  type Members,
  phoneOf,
  runBatches,
} from "../../support/fixtures/batch_calls.ts";
import { heads, padded } from "../../support/fixtures/media_files.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { type FilePart, picture, uploadFile } from "../media_api/media_calls.ts";
import { startTemplateStack, type TemplateStack } from "../send_template_message/template_stack.ts";

const pdf: FilePart = { bytes: padded(heads.pdf, 3_000), name: "Proposta.pdf" };
const components = [{ type: "HEADER", format: "IMAGE" }, { type: "BODY", text: "Olá {{1}}" }];

function answerAsGraph(request: DoubleRequest): Response {
  return request.path.endsWith("/media") ? Response.json({ id: "4711" }) : acceptMessage(request);
}

/** Recipients whose headers are these files. */
function listWith(mediaIds: readonly string[]): Members[] {
  return mediaIds.map((mediaId, index) => ({
    phone: phoneOf(index),
    variables: { 1: `Pessoa ${index}`, header: { mediaId } },
  }));
}

async function prepare(
  templates: TemplateStack,
  provider: "zapi" | "whatsapp_cloud",
): Promise<{ tenant: Tenant; template: Members; mediaId: string }> {
  const tenant = await templates.stack.createTenant({ provider });
  templates.stack.provider.answer = answerAsGraph;
  const templateId = await templates.createTemplate(tenant, { components });
  const { mediaId } = (await uploadFile(templates.stack, tenant, picture)).body;
  return { tenant, template: { templateId }, mediaId };
}

Deno.test("a batch hands the file of its template's header to the official channel once, long after an upload would have gone", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const { tenant, template, mediaId } = await prepare(templates, "whatsapp_cloud");
  const created = await callBatches(stack, tenant, "POST", "/batches", {
    template,
    recipients: listWith([mediaId, mediaId]),
  });
  assertEquals([created.status, created.body.added], [201, 2], JSON.stringify(created.body));
  const [row] = await stack.admin`select expires_at from messaging.media`;
  assertEquals(row?.["expires_at"], null);
  await changeBatch(stack, tenant, created.body.batchId, "start");
  await runBatches(stack, 2);
  const uploads = stack.provider.requests.filter(({ path }) => path.endsWith("/media"));
  const sent = stack.provider.requests.filter(({ path }) => path.endsWith("/messages"));
  assertEquals([uploads.length, sent.length], [1, 2]);
  for (const { json } of sent) {
    const [header] = (json["template"] as { components: unknown[] }).components;
    const image = { id: "4711" };
    assertEquals(header, { type: "header", parameters: [{ type: "image", image }] });
  }
});

Deno.test("a batch gives a gateway a link to the file of its template's header", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const { tenant, template, mediaId } = await prepare(templates, "zapi");
  const created = await callBatches(stack, tenant, "POST", "/batches", {
    template,
    recipients: listWith([mediaId, mediaId]),
  });
  await changeBatch(stack, tenant, created.body.batchId, "start");
  await runBatches(stack, 2);
  const links = stack.provider.requests.map(({ json }) => new URL(String(json["image"])).pathname);
  assertEquals(links.length, 2);
  assert(links.every((path) => path.endsWith(`/links/${mediaId}/file.jpg`)));
  const captions = stack.provider.requests.map(({ json }) => json["caption"]);
  assertEquals(captions.toSorted(), ["Olá Pessoa 0", "Olá Pessoa 1"]);
});

Deno.test("an entry whose header is a file that is not there, or of another type, is refused, in a permissive list it alone", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const { tenant, template, mediaId } = await prepare(templates, "whatsapp_cloud");
  const other = await stack.createTenant({ provider: "whatsapp_cloud" });
  const foreign = (await uploadFile(stack, other, picture)).body.mediaId;
  const document = (await uploadFile(stack, tenant, pdf)).body.mediaId;
  const gone = (await uploadFile(stack, tenant, picture)).body.mediaId;
  await stack.admin`
    update messaging.media set status = 'expired', storage_path = null where id = ${gone}`;
  const cases = [
    [foreign, "The instance has no such file."],
    [crypto.randomUUID(), "The instance has no such file."],
    [gone, "The file is gone: the provider no longer had it, or its time was over."],
    [document, "must be a file for a header of format IMAGE: jpg, jpeg, png"],
  ];
  for (const [bad, message] of cases) {
    const recipients = listWith([mediaId, String(bad)]);
    const path = "recipients.1.variables.header.mediaId";
    const body = { template, recipients };
    const strict = await callBatches(stack, tenant, "POST", "/batches", body);
    assertEquals([strict.status, strict.body.issues], [400, [{ path, message }]]);
    const loose = await callBatches(stack, tenant, "POST", "/batches", {
      ...body,
      validation: "permissive",
    });
    assertEquals([loose.status, loose.body.added], [201, 1], JSON.stringify(loose.body));
    const issues = [{ path: "variables.header.mediaId", message }];
    assertEquals(loose.body.errors, [{ index: 1, issues }]);
  }
});

Deno.test("the file of a header stays until the batch's last recipient has it, when another person who had it is erased", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const { tenant, template, mediaId } = await prepare(templates, "zapi");
  const sent = await stack.send(tenant, {
    ...{ phone: "5511955550000", messageType: "image", mediaId },
  });
  const { body: { batchId } } = await callBatches(stack, tenant, "POST", "/batches", { template });
  const added = await callBatches(stack, tenant, "POST", `/batches/${batchId}/recipients`, {
    recipients: listWith([mediaId]),
  });
  assertEquals([added.status, added.body.added], [201, 1], JSON.stringify(added.body));
  const listOwn = async (): Promise<unknown> => {
    const [row] = await stack.admin`
      select messaging.media_of_contact(${sent.body.contactId}::uuid) as files`;
    return row?.["files"];
  };
  assertEquals(await listOwn(), []);
  await changeBatch(stack, tenant, batchId, "cancel");
  assertEquals(await listOwn(), [mediaId]);
});

Deno.test("the entries of a call name at most a hundred files", async () => {
  await using templates = await startTemplateStack();
  const { tenant, template } = await prepare(templates, "zapi");
  const mediaIds = Array.from({ length: 101 }, () => crypto.randomUUID());
  const { status, body } = await callBatches(templates.stack, tenant, "POST", "/batches", {
    template,
    validation: "permissive",
    recipients: listWith(mediaIds),
  });
  assertEquals([status, body.issues?.[0]?.path], [400, "recipients"]);
});
