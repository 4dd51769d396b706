import type { Operation } from "../../shared/openapi/operation.ts";
import { mcpResponseSchema } from "./contract.ts";

/** The one operation of mcp. */
export const operations: readonly Operation[] = [{
  method: "POST",
  path: "/",
  operationId: "exchangeMcpMessage",
  tag: "AI agent",
  summary: "Exchange a message of the Model Context Protocol",
  description:
    "Tools for AI clients, by the Model Context Protocol (streamable HTTP, stateless, versions of 2025 and 2026-07-28). The token goes in `X-Client-Token`, or as `Authorization: Bearer`; its scopes decide which tools there are, its `mcp` whom they may write to and how often.\n\n" +
    "A refusal of a tool is a result with `isError`, whose text is the API's error.",
  access: "clientToken",
  foreignBody: "A message of the protocol, which is JSON-RPC 2.0.",
  success: {
    description: "The answer.",
    schema: mcpResponseSchema,
  },
  otherSuccess: { status: 202, description: "A notification was taken. There is no body." },
  errors: ["unsupported_media_type"],
  fields: {
    jsonrpc: "Always `2.0`.",
    id: "The request's id, which the answer repeats; absent in a notification.",
    result: "The method's result.",
    error: "Why there is none.",
    "error.code": "Code of JSON-RPC.",
    "error.message": "What is wrong.",
  },
  examples: [{
    name: "ping",
    summary: "Whether the server answers",
    request: { jsonrpc: "2.0", id: 1, method: "ping" },
    response: { result: {}, jsonrpc: "2.0", id: 1 },
  }],
}];
