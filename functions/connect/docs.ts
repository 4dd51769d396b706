import type { ErrorCode } from "../../shared/model/errors.ts";
import { demoConnectionToken } from "../../shared/openapi/demo_fixtures.ts";
import type { Operation } from "../../shared/openapi/operation.ts";
import {
  codeResponseSchema,
  codeSchema,
  lookSchema,
  openResponseSchema,
  openSchema,
  qrResponseSchema,
  stateResponseSchema,
  testResponseSchema,
} from "./contract.ts";

const ofPage = { tag: "Connection page", access: "public" } as const;

const linkErrors = [
  "service_unavailable",
  "connection_link_not_found",
  "connection_link_ended",
  "rate_limited",
] as const satisfies readonly ErrorCode[];

const codeErrors = [
  ...linkErrors,
  "Instance not found",
  "connection_not_available",
  "already_connected",
  "connection_pending",
  "passkey_required",
  "session_not_found",
  "provider_connection_failed",
] as const satisfies readonly ErrorCode[];

const examplePage = "k1.9f86d081.AbCdEfGhIjKlMnOp";

const fields = {
  token: "What follows `#` in the link.",
  page: "What `open` gave. A page that was open when the phone was connected may go on.",
};

export const operations: readonly Operation[] = [
  {
    ...ofPage,
    method: "GET",
    path: "/",
    operationId: "getConnectPage",
    summary: "Page on which the owner of a phone connects it",
    description:
      "Leads a person through connecting the phone, in Portuguese, English or Spanish. Links lead here: `POST admin-api/instances/:id/connection-link`. The page is the same for every link; what follows `#` opens it. Supabase serves it as plain text on a project's default domain: see docs/connecting.md.",
    ignoresParameters: true,
    success: { description: "The page.", mediaType: "text/html" },
    errors: [],
    examples: [{ name: "page", summary: "The page", response: "<!doctype html>…" }],
  },
  {
    ...ofPage,
    method: "POST",
    path: "/open",
    operationId: "openConnectionLink",
    summary: "Open a connection link",
    description:
      "What the page shows first. A link takes 30 calls a minute, of all its pages together.",
    body: openSchema,
    success: { description: "What the link is for.", schema: openResponseSchema },
    errors: linkErrors,
    fields: {
      ...fields,
      name: "The name of the instance.",
      language: "The link's language; null for the browser's.",
      expiresAt: "When the link ends.",
      page: "What the page sends with every further call.",
    },
    examples: [{
      name: "opened",
      summary: "A link is opened",
      request: { token: demoConnectionToken },
      response: {
        success: true,
        name: "Demo",
        language: "pt",
        expiresAt: "2026-11-23T14:00:00.000Z",
        page: examplePage,
      },
    }],
  },
  {
    ...ofPage,
    method: "POST",
    path: "/state",
    operationId: "readConnectionOfLink",
    summary: "Read the connection of a link",
    description:
      "As `GET admin-api/instances/:id/connection`. The link ends as soon as the expected phone is connected: `instance.connection_link_used`.",
    body: lookSchema,
    success: { description: "The connection.", schema: stateResponseSchema },
    errors: [...linkErrors, "Instance not found", "connection_not_available"],
    fields: {
      ...fields,
      state:
        "`connecting`: the session is being built up. `waiting_for_scan`: a code waits for the phone. `unknown`: the gateway does not answer.",
      phone: "The number that is connected, in digits; null where it is not told.",
      isExpectedPhone: "Whether it is the instance's number; null where `phone` is not known.",
      methods: "How a phone can be connected.",
      expiresAt: "When the link ends.",
    },
    examples: [{
      name: "waiting",
      summary: "A code waits",
      request: { token: demoConnectionToken, page: examplePage },
      response: {
        success: true,
        state: "waiting_for_scan",
        phone: null,
        isExpectedPhone: null,
        methods: ["qr", "code"],
        expiresAt: "2026-11-23T14:00:00.000Z",
      },
    }],
  },
  {
    ...ofPage,
    method: "POST",
    path: "/qr",
    operationId: "getQrOfLink",
    summary: "Get the QR code of a link",
    description: "As `POST admin-api/instances/:id/connection/qr`, as a picture.",
    body: lookSchema,
    success: { description: "The code.", schema: qrResponseSchema },
    errors: codeErrors,
    fields: {
      ...fields,
      image: "The code as a picture: a PNG as a data URL.",
      expiresAt: "When to ask for the code again.",
    },
    examples: [{
      name: "code",
      summary: "A code to scan",
      request: { token: demoConnectionToken, page: examplePage },
      response: {
        success: true,
        image: "data:image/png;base64,iVBORw0KGgo=",
        expiresAt: "2026-11-23T13:00:10.000Z",
      },
    }],
  },
  {
    ...ofPage,
    method: "POST",
    path: "/code",
    operationId: "getCodeOfLink",
    summary: "Get the code to type of a link",
    description: "As `POST admin-api/instances/:id/connection/code`.",
    body: codeSchema,
    success: { description: "The code.", schema: codeResponseSchema },
    errors: [...codeErrors, "invalid_phone"],
    fields: {
      ...fields,
      phone: "The number of the phone on which the code is typed, in digits with country code.",
      code: "Eight letters and digits.",
      expiresAt: "When to ask for the code again.",
    },
    examples: [{
      name: "code",
      summary: "A code to type",
      request: { token: demoConnectionToken, page: examplePage, phone: "5511999990000" },
      response: { success: true, code: "ABCD1234", expiresAt: "2026-11-23T13:03:00.000Z" },
    }],
  },
  {
    ...ofPage,
    method: "POST",
    path: "/test",
    operationId: "sendTestOfLink",
    summary: "Send a test message from the connected phone to itself",
    description:
      "Goes past the queue, and nothing of it is stored. Five a link; a page that was open when the phone was connected goes on until the link's time, for 15 minutes at least.",
    body: lookSchema,
    success: { description: "The message was sent.", schema: testResponseSchema },
    errors: [
      ...linkErrors,
      "Instance not found",
      "connection_not_available",
      "connection_pending",
      "provider_connection_failed",
    ],
    fields,
    examples: [{
      name: "sent",
      summary: "The test message is sent",
      request: { token: demoConnectionToken, page: examplePage },
      response: { success: true },
    }],
  },
];
