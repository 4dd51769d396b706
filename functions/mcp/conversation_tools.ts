import * as z from "zod";
import { controlActions, controlRoles } from "../../shared/model/control.ts";
import { agentPauseRecord, controlRecord } from "./answer_records.ts";
import { type JsonObject, type McpSession, ToolRefusal } from "./session.ts";
import { outputOf, recipientInput, type Tool } from "./tool.ts";

/** Of a change that another call can undo, and that a repeated call does not make twice. */
const reversible = { readOnlyHint: false, destructiveHint: false, idempotentHint: true };

/** The tools that change who answers a contact. */
export const conversationTools: readonly Tool[] = [
  {
    name: "pause_agent",
    title: "Pause the AI agent",
    description:
      "Keeps this number's AI agent from answering one contact for some minutes, or lets it go on (paused: false).",
    input: z.looseObject({
      ...recipientInput,
      paused: z.boolean().default(true),
      minutes: z.int().min(1).max(43_200).optional(),
    }),
    output: outputOf({}),
    record: agentPauseRecord,
    annotations: { ...reversible, openWorldHint: false },
    call: {
      functionName: "conversations-api",
      method: "POST",
      route: "/conversations-api/agent-pause",
    },
    isPaged: false,
    run: pauseAgent,
  },
  {
    name: "set_control",
    title: "Take or pass on a conversation",
    description:
      "On the official channel, where a number may have several responders: takes one contact's conversation for this service, passes it to the responder that has `role`, or releases it. The channel decides, and may refuse.",
    input: z.looseObject({
      ...recipientInput,
      action: z.enum(controlActions),
      role: z.enum(controlRoles).optional().describe("Only with pass."),
    }),
    output: outputOf({
      handledBy: z.string().optional().describe("Who holds it now."),
      previous: z.string().optional(),
    }),
    record: controlRecord,
    annotations: { ...reversible, openWorldHint: true },
    call: {
      functionName: "conversations-api",
      method: "POST",
      route: "/conversations-api/control",
    },
    isPaged: false,
    run: (args, { call, instanceId }) =>
      call({
        method: "POST",
        path: "conversations-api/control",
        body: { ...args, instanceId },
      }),
  },
];

/** Only for a contact that exists: the API would create one, and then the token could write to anybody. */
async function pauseAgent(
  { phone, contactId, userId, ...pause }: JsonObject,
  { call, instanceId }: McpSession,
): Promise<JsonObject> {
  const path = "conversations-api/agent-pause";
  const known = await call({ method: "GET", path, query: { phone, contactId, userId } });
  if (known["contactId"] === null) {
    const message = "The instance has no such contact.";
    throw new ToolRefusal({ error: "contact_not_found", message });
  }
  const body = { ...pause, contactId: known["contactId"], instanceId };
  return await call({ method: "POST", path, body });
}
