/**
 * `POST` and `DELETE /{version}/{phone-number-id}/block_users` of the Cloud API. Only who has written within 24
 * hours can be blocked. A person who cannot is in `failed_users`, beside error 139100 and, as Meta's page has
 * it, with those that could.
 */
import { type Context, Hono } from "hono";
import * as z from "zod";
import { declaresJson, parseValue, readBearerToken, readJson } from "../json_request.ts";
import { answerSend, type ErrorFormat } from "../spoiled_answer.ts";
import type { CloudContext } from "./context.ts";
import { describeFault, invalidToken, refuseGraph } from "./errors.ts";

const bodySchema = z.object({
  messaging_product: z.literal("whatsapp"),
  block_users: z.array(z.union([
    z.object({ user: z.string().regex(/^\+?[\d\s()-]{6,24}$/) }),
    z.object({ user_id: z.string().min(1) }),
  ])).min(1).max(100),
});

type Person = z.infer<typeof bodySchema>["block_users"][number];

/** The routes of blocking. `errorFormat`: how Meta words planned faults. */
export function createBlockRoutes(simulator: CloudContext, errorFormat: ErrorFormat): Hono {
  const app = new Hono();
  const path = "/:version{v[0-9]+\\.[0-9]+}/:phoneNumberId/block_users";
  app.post(path, (context) => change(simulator, errorFormat, context, true));
  app.delete(path, (context) => change(simulator, errorFormat, context, false));
  return app;
}

async function change(
  simulator: CloudContext,
  errorFormat: ErrorFormat,
  context: Context,
  isBlocked: boolean,
): Promise<Response> {
  const request = context.req.raw;
  if (readBearerToken(request) === undefined) return refuseGraph(invalidToken);
  const body = declaresJson(request) ? await readJson(request) : {};
  const parsed = parseValue(bodySchema, body);
  if (!parsed.success) {
    return refuseGraph({ ...describeFault(100), details: "Param block_users is not valid." });
  }
  const instance = context.req.param("phoneNumberId") ?? "";
  const people = parsed.data.block_users.map(describePerson);
  const to = people.map(({ wa_id }) => wa_id);
  const target = { provider: "whatsapp_cloud", instance, to } as const;
  return await answerSend(simulator, target, errorFormat, () => {
    const canChange = ({ wa_id }: { readonly wa_id: string }): boolean =>
      !isBlocked || simulator.windows.isOpen(instance, wa_id);
    const changed = people.filter(canChange);
    for (const { wa_id: waId } of changed) {
      simulator.store.addBlock({ provider: "whatsapp_cloud", instance, waId, isBlocked });
    }
    return describeLists(isBlocked, changed, people.filter((person) => !canChange(person)));
  });
}

function describePerson(
  person: Person,
): { readonly input: string; readonly wa_id: string } {
  return "user" in person
    ? { input: person.user, wa_id: person.user.replace(/\D/g, "") }
    : { input: person.user_id, wa_id: person.user_id };
}

function describeLists(
  isBlocked: boolean,
  changed: readonly { readonly input: string }[],
  failed: readonly { readonly input: string }[],
): Response {
  const lists = {
    ...(changed.length === 0 ? {} : { [isBlocked ? "added_users" : "removed_users"]: changed }),
    ...(failed.length === 0 ? {} : {
      failed_users: failed.map((person) => ({ ...person, errors: [notWithinWindow] })),
    }),
  };
  const body = { messaging_product: "whatsapp", block_users: lists };
  if (failed.length === 0) return Response.json(body);
  const { code, title } = describeFault(139100);
  const error = { message: `(#${code}) ${title}`, type: "OAuthException", code };
  return Response.json({ ...body, error }, { status: 400 });
}

const notWithinWindow = {
  code: 131047,
  message: "Re-engagement message",
  error_data: { details: "The person has not written within the last 24 hours." },
};
