import { demoTemplateId } from "../../../shared/openapi/demo_fixtures.ts";
import { assertEquals } from "../../support/assert.ts";
import { driveRequestTable } from "../contract/request_table.ts";
import {
  formattedPhones,
  instanceIdRow,
  metadataRow,
  optionalRow,
  phoneRow,
} from "../contract/request_rows.ts";
import { startService } from "../contract/service.ts";
import { sendTemplate } from "./template_call.ts";

const v1 = "/functions/v1";

// Specification 4.7, send-template-message.
Deno.test("send-template-message takes each field and refuses its wrong values by name", async () => {
  await using service = await startService();
  const error = "templateId and phone are required";
  await driveRequestTable(service, {
    method: "POST",
    path: `${v1}/send-template-message`,
    least: { variables: { nome: "Ana", pedido: "4711" } },
    rows: [
      { field: "templateId", type: "string", required: "yes", value: demoTemplateId, error },
      { ...phoneRow, refused: formattedPhones.filter((text) => text !== ""), error },
      { ...instanceIdRow, required: "no" },
      {
        field: "variables",
        type: "object",
        required: "conditional",
        value: { nome: "A", pedido: "1" },
      },
      { ...optionalRow("cardId", "string", "card-1"), refused: ["c".repeat(256)] },
      metadataRow,
    ],
  });
});

// Specification 2, Template.
Deno.test("the answer names the template by templateId and templateName", async () => {
  const { body } = await sendTemplate({});
  assertEquals([body.templateName, typeof body.templateId], ["pedido_enviado", "string"]);
});

// Specification 3, Template status.
Deno.test("a template is sent only as APPROVED and with provider_template_id", async () => {
  for (const status of ["APPROVED", "PENDING", "REJECTED", "PAUSED", null]) {
    for (const id of ["1207842345678901", null]) {
      const { body } = await sendTemplate({
        template: { provider_status: status, provider_template_id: id },
      });
      assertEquals(body.success, status === "APPROVED" && id !== null, `${status} ${id}`);
    }
  }
});
