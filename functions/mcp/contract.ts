import * as z from "zod";

/** The answer of POST /functions/v1/mcp: a message of the Model Context Protocol, which is JSON-RPC 2.0. */
export const mcpResponseSchema = z.looseObject({
  result: z.looseObject({}).optional(),
  jsonrpc: z.literal("2.0"),
  /** Any number: JSON-RPC 2.0 only discourages fractions. Absent where the request could not be read. */
  id: z.union([z.string(), z.number()]).nullish(),
  error: z.looseObject({ code: z.int(), message: z.string() }).optional(),
});
