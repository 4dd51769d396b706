import type { Operation } from "../../shared/openapi/operation.ts";

/** The operations of api-docs. */
export const operations: readonly Operation[] = [
  {
    method: "GET",
    path: "/",
    operationId: "getReferencePage",
    tag: "Reference",
    summary: "Get the reference page",
    description:
      "This reference as a page that can be searched. Its viewer, in which calls can be tried, loads when it is asked for. The hosted platform does not serve HTML on a project's default domain. There the response is JSON with `referenceUrl` (the URL of the published page, or null), `documentUrl` and `message`.",
    access: "public",
    success: {
      description: "The page; JSON with a link where the platform does not serve HTML.",
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
    summary: "Get the OpenAPI document",
    description:
      "This document as JSON. With `If-None-Match` the response is 304 while the document has not changed.",
    access: "public",
    success: { description: "The document, with an `ETag`." },
    otherSuccess: { status: 304, description: "The document has not changed." },
    errors: [],
    examples: [],
  },
  {
    method: "GET",
    path: "/errors.md",
    operationId: "getErrorPage",
    tag: "Reference",
    summary: "Get the page of errors",
    description:
      "What each code means, what to do about it, and who can: `docs` of an error leads to its section. Where the platform shows no HTML the page is Markdown.",
    access: "public",
    success: { description: "The page, with an `ETag`.", mediaType: "text/html" },
    otherSuccess: { status: 304, description: "The page has not changed." },
    errors: [],
    examples: [],
  },
  {
    method: "GET",
    path: "/versions.md",
    operationId: "getVersionsPage",
    tag: "Reference",
    summary: "Get the page of versions",
    description:
      "How the contract changes, and what of it is to go: `Link` of an answer with `Deprecation` leads here. Where the platform shows no HTML the page is Markdown.",
    access: "public",
    success: { description: "The page, with an `ETag`.", mediaType: "text/html" },
    otherSuccess: { status: 304, description: "The page has not changed." },
    errors: [],
    examples: [],
  },
];
