import type { Operation } from "../../shared/openapi/operation.ts";

/** The operations of api-docs. */
export const operations: readonly Operation[] = [
  {
    method: "GET",
    path: "/",
    operationId: "getReferencePage",
    tag: "Reference",
    summary: "Read the reference as a page",
    description:
      "This reference in a viewer. The hosted platform shows no HTML on a project's default domain: there the answer is JSON with `referenceUrl` (where the page is published, or null), `documentUrl` and `message`.",
    access: "public",
    success: {
      description: "The page; JSON with a link where the platform shows no HTML.",
      mediaType: "text/html",
    },
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
