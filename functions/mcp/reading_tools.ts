import * as z from "zod";
import { readPage } from "../../shared/http/page.ts";
import { arrangeAnswer } from "../../shared/model/arrange_answer.ts";
import { mostWaitSeconds } from "../../shared/model/wait_seconds.ts";
import {
  contactRecord,
  conversationRecord,
  healthRecord,
  messageRecord,
  pageRecord,
  questionRecord,
  queueRecord,
  templateRecord,
} from "./answer_records.ts";
import { readConversation } from "./read_conversation.ts";
import type { JsonObject, McpSession } from "./session.ts";
import { outputOf, pageInput, pageOf, readsOnly, recipientInput, type Tool } from "./tool.ts";

/** A tool that reads one path of the API. */
function readerOf(
  tool: Pick<Tool, "name" | "title" | "description" | "input" | "output" | "record">,
  [functionName, path]: readonly [string, string],
  isPaged = true,
): Tool {
  return {
    ...tool,
    annotations: readsOnly,
    call: { functionName, method: "GET", route: `/${functionName}${path}` },
    isPaged,
    run: ({ id, ...query }, session) =>
      session.call({
        method: "GET",
        path: `${functionName}${path.replace(":id", () => encodeURIComponent(String(id)))}`,
        query,
      }),
  };
}

const templatesRecord = pageRecord(templateRecord);

async function listTemplates(args: JsonObject, session: McpSession): Promise<JsonObject> {
  const { instanceId, database } = session;
  const limit = Number(args["limit"]);
  const cursor = args["cursor"] as string | undefined;
  const page = await readPage(
    "templates",
    { limit, cursor, sendableBy: instanceId },
    (request) => database.rpc("list_message_templates", request),
  );
  return arrangeAnswer(templatesRecord, page as unknown as JsonObject);
}

/**
 * The tools that change nothing. They refuse an argument that they do not have: dropping a filter of another
 * name would list everybody.
 */
export const readingTools: readonly Tool[] = [
  readerOf({
    name: "find_contacts",
    title: "Find contacts",
    description:
      "Finds people by name, part of the phone, e-mail or company (q), by phone or by tag. At most 50 a page, in the order of their creation; without a filter it lists everybody.",
    input: z.strictObject({
      q: z.string().max(200).optional().describe(
        "Words of the name, e-mail or company, or digits of the phone.",
      ),
      phone: recipientInput.phone,
      tag: z.string().max(100).optional(),
      ...pageInput,
    }),
    output: pageOf("Contacts: contactId, name, phone, tags, consent, conversation."),
    record: pageRecord(contactRecord),
  }, ["contacts-api", "/contacts"]),
  readerOf(
    {
      name: "get_contact",
      title: "Get a contact",
      description:
        "Everything about one contact: fields, tags, consent to marketing, whether the 24-hour window is open, the conversation's status.",
      input: z.strictObject({ id: z.uuid().describe("contactId.") }),
      output: outputOf({ contactId: z.string() }),
      record: contactRecord,
    },
    ["contacts-api", "/contacts/:id"],
    false,
  ),
  readerOf({
    name: "list_conversations",
    title: "List conversations",
    description:
      "Conversations in the order of their creation; awaitingReply=true for those whose last message is the contact's; with contactId, phone or userId the one of that contact. At most 50 a page.",
    input: z.strictObject({
      ...recipientInput,
      status: z.string().max(40).optional().describe("For example open or closed."),
      awaitingReply: z.boolean().optional(),
      assignedTo: z.string().max(200).optional(),
      tag: z.string().max(100).optional(),
      ...pageInput,
    }),
    output: pageOf("Conversations: conversationId, contactId, status, assignedTo, lastMessageAt."),
    record: pageRecord(conversationRecord),
  }, ["conversations-api", "/conversations"]),
  {
    name: "read_conversation",
    title: "Read a conversation",
    description:
      "The newest messages with one contact, oldest first, of the last year; nextCursor leads to older ones. What still waits to be sent is in get_queue. At most 50 a page.",
    input: z.strictObject({ ...recipientInput, ...pageInput }),
    output: pageOf("Messages: messageId, direction, messageType, message, status, sentAt."),
    record: pageRecord(messageRecord),
    annotations: readsOnly,
    call: { functionName: "messages-context", method: "GET", route: "/messages-context" },
    isPaged: true,
    run: readConversation,
  },
  readerOf(
    {
      name: "get_message",
      title: "Get a message",
      description:
        "One message by its messageId: its status (queued, sent, delivered, read, failed, unconfirmed …), its times and its error. Ask here before you send something again.",
      input: z.strictObject({ id: z.string().min(1).max(200).describe("messageId.") }),
      output: outputOf({ messageId: z.string(), status: z.string() }),
      record: messageRecord,
    },
    ["messages-api", "/messages/:id"],
    false,
  ),
  readerOf(
    {
      name: "get_question",
      title: "Get a question, or wait for its answer",
      description:
        "One question by its questionId: its status (waiting and open: ask again; answered, expired and canceled are final) and the answer. With waitSeconds it answers as soon as the question has ended.",
      input: z.strictObject({
        id: z.uuid().describe("questionId."),
        waitSeconds: z.int().min(0).max(mostWaitSeconds).default(0),
      }),
      output: outputOf({ questionId: z.string(), status: z.string() }),
      record: questionRecord,
    },
    ["messages-api", "/questions/:id"],
    false,
  ),
  {
    name: "list_templates",
    title: "List templates",
    description:
      "Message templates of this number, with their words and variables. Only those with providerStatus APPROVED can be sent. At most 50 a page.",
    input: z.strictObject(pageInput),
    output: pageOf("Templates: templateId, name, language, category, providerStatus, components."),
    record: templatesRecord,
    annotations: readsOnly,
    call: {
      functionName: "send-template-message",
      method: "POST",
      route: "/send-template-message",
    },
    isPaged: true,
    run: listTemplates,
  },
  readerOf({
    name: "get_queue",
    title: "Get the queue",
    description:
      "Messages that wait to be sent, in their order, with when and why. At most 50 a page.",
    input: z.strictObject(pageInput),
    output: pageOf("Waiting messages: messageId, phone, scheduledFor, heldBy, position."),
    record: queueRecord,
  }, ["messages-api", "/queue"]),
  readerOf(
    {
      name: "get_health",
      title: "Get the number's health",
      description: "Whether the number is connected and its messages go out, and what holds them.",
      input: z.strictObject({}),
      output: outputOf({}),
      record: healthRecord,
    },
    ["messages-api", "/health"],
    false,
  ),
].map(requireSending);

/** The queue, health and templates are for who sends (the API lets readers of the history see the queue, too). */
function requireSending(tool: Tool): Tool {
  if (!["get_queue", "get_health"].includes(tool.name)) return tool;
  return { ...tool, call: { ...tool.call, functionName: "send-message" } };
}
