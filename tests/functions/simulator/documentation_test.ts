/** The simulator's README: its examples work, and it names every field. */
import * as z from "zod";
import { deletionSchema, editSchema } from "../../../supabase/local/simulator/changes.ts";
import { accountUpdateSchema } from "../../../supabase/local/simulator/whatsapp_cloud/account_updates.ts";
import { userIdChangeSchema } from "../../../supabase/local/simulator/whatsapp_cloud/changes.ts";
import { numberSchema } from "../../../supabase/local/simulator/whatsapp_cloud/numbers.ts";
import { priceTableSchema } from "../../../supabase/local/simulator/whatsapp_cloud/price_table.ts";
import { qualityAssessmentSchema } from "../../../supabase/local/simulator/whatsapp_cloud/controls.ts";
import { faultRequestSchema } from "../../../supabase/local/simulator/faults.ts";
import { readingSchema, replySchema } from "../../../supabase/local/simulator/phones.ts";
import {
  channelKinds,
  faultKinds,
  serviceKinds,
} from "../../../supabase/local/simulator/records.ts";
import { templateStatuses } from "../../../supabase/local/simulator/whatsapp_cloud/template_record.ts";
import {
  receiverAnswerSchema,
  receiverSecretSchema,
} from "../../../supabase/local/simulator/webhook_receiver.ts";
import { signatureVerdicts } from "../../../supabase/local/simulator/webhook_verification.ts";
import { webhookSchema } from "../../../supabase/local/simulator/webhook_request.ts";
import { writtenPartNames } from "../../../supabase/local/simulator/written_parts.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { startSimulator } from "./simulator_server.ts";

const folder = new URL("../../../supabase/local/simulator/", import.meta.url);
const readme = await Deno.readTextFile(new URL("README.md", folder));

/** The README with those of the providers; one without its own is described in the first. */
async function readAll(): Promise<string> {
  const own = channelKinds.map((kind) =>
    Deno.readTextFile(new URL(`${kind}/README.md`, folder)).catch(() => "")
  );
  return [readme, ...await Promise.all(own)].join("\n");
}

interface Example {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Record<string, unknown>;
}

function readExamples(): Example[] {
  return Array.from(readme.matchAll(/^```http\nPOST \/simulator(\S+)\n([^]*?)\n\n?(\{[^]*?)^```/gm))
    .map(([, path = "", headers = "", body = ""]) => ({
      path,
      headers: Object.fromEntries(
        headers.split("\n").filter((line) => line.includes(": ")).map((line) => line.split(": ")),
      ),
      body: JSON.parse(body),
    }));
}

Deno.test("every example of the simulator's documentation is accepted unchanged", async () => {
  await using server = startSimulator();
  const examples = readExamples();
  assertEquals(examples.length, [...readme.matchAll(/^```http$/gm)].length, "all are read");
  assert(examples.length >= 9);
  for (const { path, headers, body } of examples) {
    const { status, json } = await server.post(path, body, headers);
    assert(status === 200 || status === 201, `${path} ${status} ${JSON.stringify(json)}`);
    // A schema silently drops unknown fields, so the answer must repeat each one.
    if (path === "/replies") {
      const { writtenAt: _, ...kept } = body;
      const answer = json as Record<string, unknown>;
      for (const name of Object.keys(kept)) assert(name in answer, name);
    }
  }
  assertEquals((await server.read("/replies")).total, 5);
  assertEquals((await server.read("/faults")).items.length, 3);
});

Deno.test("the simulator's documentation names every field and value of its requests", async () => {
  const { options } = replySchema.shape.content.unwrap();
  const contents = options.flatMap((option) => Object.keys(option.shape));
  const contentKinds = options.flatMap(({ shape }) => {
    const type: z.ZodLiteral<string> | z.ZodEnum = shape.messageType;
    return type instanceof z.ZodEnum ? type.options : [...type.values];
  });
  const names = [
    ...Object.keys(replySchema.shape),
    ...Object.keys(readingSchema.shape),
    ...Object.keys(editSchema.shape),
    ...Object.keys(deletionSchema.shape),
    ...listNames(accountUpdateSchema.options),
    ...listNames([userIdChangeSchema, qualityAssessmentSchema, priceTableSchema, numberSchema]),
    ...Object.keys(faultRequestSchema.shape),
    ...Object.keys(webhookSchema.shape),
    ...Object.keys(receiverSecretSchema.shape),
    ...Object.keys(receiverAnswerSchema.shape),
    ...signatureVerdicts,
    ...contents,
    ...contentKinds,
    ...writtenPartNames,
    ...faultKinds,
    ...serviceKinds,
    ...channelKinds,
    ...templateStatuses,
  ];
  const documentation = await readAll();
  const missing = names.map(String).filter((name) =>
    !documentation.includes(`\`${name}\``) && !documentation.includes(`"${name}"`)
  );
  assertEquals([...new Set(missing)], []);
});

/** The members of requests, and the values of those that name one of several. */
function listNames(schemas: readonly z.ZodObject[]): string[] {
  return schemas.flatMap(({ shape }) =>
    Object.entries(shape).flatMap(([name, member]) => {
      const inner = member instanceof z.ZodDefault ? member.unwrap() : member;
      if (inner instanceof z.ZodEnum) return [name, ...inner.options.map(String)];
      return inner instanceof z.ZodLiteral ? [name, ...[...inner.values].map(String)] : [name];
    })
  );
}
