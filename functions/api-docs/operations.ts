import type { Operation } from "../../shared/contract/operation.ts";

/** What api-docs promises. */
export const operations: readonly Operation[] = [
  {
    method: "GET",
    path: "/",
    operationId: "getReferencePage",
    tag: "Reference",
    summary: "Read the reference as a page",
    description:
      "This reference in a viewer. On the hosted platform's default domain the page is shown as plain text: the platform serves HTML on the project's own domain only.",
    access: "public",
    success: { description: "The page.", mediaType: "text/html" },
    errors: [],
    examples: [],
  },
  {
    method: "GET",
    path: "/openapi.json",
    operationId: "getOpenApiDocument",
    tag: "Reference",
    summary: "Read the OpenAPI document",
    description:
      "This document as JSON. With `If-None-Match` it is answered 304 while it has not changed.",
    access: "public",
    success: { description: "The document, with an `ETag`." },
    errors: [],
    examples: [],
  },
];
