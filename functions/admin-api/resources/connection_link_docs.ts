import {
  demoConnectionLinkId,
  demoConnectionToken,
  demoFormerLinkId,
  demoInstanceId,
} from "../../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../../shared/openapi/operation.ts";
import {
  connectionLinkResponseSchema,
  createConnectionLinkSchema,
  createdLinkResponseSchema,
} from "./connection_link.ts";
import { adminOperation } from "./resource_docs.ts";

const instanceParameter = {
  id: { description: "`instanceId` of the instance.", example: demoInstanceId },
};

const fields = {
  linkId: "Id of the link.",
  expiresAt: "When the link ends, unless it is used or revoked before.",
};

export const connectionLinkOperations: readonly Operation[] = [
  {
    ...adminOperation,
    method: "POST",
    path: "/instances/:id/connection-link",
    operationId: "createConnectionLink",
    summary: "Make a link by which the owner connects the phone",
    description:
      "The link leads to a page that shows the code, renews it before it ends, says what to tap on iPhone and Android, and sends a test message. Everybody who has the link can connect a phone, so send it to the owner alone. It ends as soon as the expected phone is connected (`instance.connection_link_used`), when it expires, or when it is revoked. Only this response contains the address. Where Supabase serves no HTML, `CONNECT_PAGE_URL` names the page: see docs/connecting.md.",
    pathParameters: instanceParameter,
    body: createConnectionLinkSchema,
    isBodyOptional: true,
    isIdempotent: true,
    success: {
      status: 201,
      description: "The link. No other response contains its address.",
      schema: createdLinkResponseSchema,
    },
    errors: [
      "service_unavailable",
      "Instance not found",
      "connection_not_available",
      "connection_page_not_served",
    ],
    fields: {
      ...fields,
      expiresInMinutes: "Default: 60.",
      language: "Language of the page; without it the browser's.",
      url: "The address to send to the owner of the phone.",
    },
    examples: [{
      name: "created",
      summary: "A link for an hour, in Portuguese",
      request: { expiresInMinutes: 60, language: "pt" },
      response: {
        success: true,
        linkId: demoConnectionLinkId,
        expiresAt: "2026-11-23T14:00:00.000Z",
        url: `https://project.example.com/functions/v1/connect#${demoConnectionToken}`,
      },
    }],
  },
  {
    ...adminOperation,
    method: "DELETE",
    path: "/instances/:id/connection-link/:linkId",
    operationId: "revokeConnectionLink",
    summary: "Revoke a connection link",
    description:
      "The link and its open pages end immediately. Revoking it again returns the same response.",
    pathParameters: {
      ...instanceParameter,
      linkId: { description: "`linkId` of the link.", example: demoFormerLinkId },
    },
    success: { description: "The revoked link.", schema: connectionLinkResponseSchema },
    errors: ["service_unavailable", "Instance not found", "connection_link_not_found"],
    fields: {
      ...fields,
      usedAt: "When the phone was connected; null where it was not.",
      revokedAt: "When the link was revoked; null where it was not.",
    },
    examples: [{
      name: "revoked",
      summary: "A revoked link",
      response: {
        success: true,
        linkId: demoFormerLinkId,
        expiresAt: "2026-11-23T14:00:00.000Z",
        usedAt: null,
        revokedAt: "2026-11-23T13:10:00.000Z",
      },
    }],
  },
];
