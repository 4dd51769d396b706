import { assertEquals } from "../../support/assert.ts";
import type { Members } from "../contract/service.ts";
import { sendTemplate, type TemplateCall } from "./template_call.ts";

interface ErrorRow {
  readonly status: number;
  readonly error: string;
  readonly when: string;
  readonly call: TemplateCall;
  /** Members beside the envelope. */
  readonly beside?: Members;
}

const unknownId = "00000000-0000-4000-8000-000000000000";

/** The table of errors in section 7 of the specification. */
const errorRows: readonly ErrorRow[] = [
  {
    status: 400,
    error: "templateId and phone are required",
    when: "phone is missing",
    call: { request: { phone: undefined } },
  },
  {
    status: 400,
    error: "templateId and phone are required",
    when: "templateId is missing",
    call: { request: { templateId: undefined } },
  },
  {
    status: 400,
    error: "template_not_synced_with_provider",
    when: "an official-channel template lacks provider_template_id",
    call: { template: { provider_template_id: null } },
  },
  {
    status: 400,
    error: "template_not_approved",
    when: "provider_status is not APPROVED",
    call: { template: { provider_status: "PENDING" } },
  },
  {
    status: 400,
    error: "missing_variables",
    when: "a needed variable was not supplied",
    call: { request: { variables: { nome: "Ana" } } },
    beside: { missing: ["pedido"] },
  },
  {
    status: 400,
    error: "provider_outbound_channel_not_configured",
    when: "the official-channel instance has no id at its provider",
    call: { isConnected: false },
  },
  {
    status: 403,
    error: "Template does not belong to this instance",
    when: "instanceId differs from the template's instance",
    call: { template: { instance_id: "another" } },
  },
  {
    status: 404,
    error: "Template not found",
    when: "the template id is invalid",
    call: { request: { templateId: unknownId } },
  },
  {
    status: 404,
    error: "Instance not found",
    when: "the instance id is invalid",
    call: { request: { instanceId: unknownId } },
  },
  {
    status: 502,
    error: "provider_template_send_failed",
    when: "the provider returns a failure",
    call: { providerRefuses: true },
    beside: { details: { code: "132001", message: "Template name does not exist" } },
  },
];

// Specification 7, Errors.
for (const row of errorRows) {
  Deno.test(`${row.status} ${row.error}, when ${row.when}`, async () => {
    const { status, body } = await sendTemplate(row.call);
    assertEquals([status, body.success, body.error], [row.status, false, row.error]);
    for (const [member, value] of Object.entries(row.beside ?? {})) {
      assertEquals(body[member], value, member);
    }
  });
}

Deno.test("a template to which no condition of an error applies is sent", async () => {
  const { status, body } = await sendTemplate({});
  assertEquals([status, body.success, body.provider], [200, true, "official"]);
});
