import * as z from "zod";
import { listOptions } from "../../../supabase/admin/resource_options.ts";
import { assertEquals } from "../../support/assert.ts";

Deno.test("each field of a request is an option of the command line, read by its schema", () => {
  const schema = z.object({
    workspaceId: z.guid(),
    coolDownSeconds: z.number().int().nullable().optional(),
    onUnconfirmed: z.enum(["hold", "retry"]).default("hold"),
    businessInstanceId: z.string().nullish(),
    isMuted: z.boolean().optional(),
    sendWindow: z.object({ start: z.string() }).meta({ description: "When `it` sends." })
      .optional(),
    limit: z.number(),
    cursor: z.string().optional(),
  });
  const meanings = { coolDownSeconds: "Seconds of `rest`.", isMuted: "Whether it is silent." };
  assertEquals(
    listOptions(schema, meanings).map(({ flag, kind, isRequired }) => [flag, kind, isRequired]),
    [
      ["--workspace <id>", "text", true],
      ["--cool-down-seconds <number>", "number", false],
      ["--on-unconfirmed <hold|retry>", "text", false],
      ["--business-id <id>", "nullable text", false],
      ["--is-muted <true|false>", "boolean", false],
      ["--send-window <json>", "json", false],
    ],
  );
  const [, coolDown, , , , sendWindow] = listOptions(schema, meanings);
  assertEquals(coolDown?.description, "Seconds of rest");
  assertEquals(
    sendWindow?.description,
    "When it sends. JSON with start; @file, or - for standard input",
  );
});
