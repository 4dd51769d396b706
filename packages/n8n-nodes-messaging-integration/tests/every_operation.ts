/** A workflow that executes every operation of the node, one after the other. */

/** The parameters of a step; without `resource` it is a step of n8n's own. */
export interface Step {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly type?: string;
  readonly typeVersion?: number;
  /** n8n's settings of the node, such as `retryOnFail`. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** What the workflow finds in the service before it runs. */
export interface Prepared {
  readonly templateId: string;
  /** A message that the channel has refused. */
  readonly failedMessageId: string;
  /** A message that a person has written. */
  readonly receivedMessageId: string;
  /** Where a public file is. */
  readonly fileUrl: string;
}

const [phone, other, third] = ["5511988880001", "5511988880002", "5511988880003"];
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const person = { contactBy: "phone", phone };
/** A day ahead, in the zone of the workflow and without an offset, as n8n's own field gives it. */
const tomorrow = "={{ $now.plus({ days: 1 }).toFormat(\"yyyy-MM-dd'T'HH:mm:ss\") }}";

/** An answer of an earlier step. */
const of = (step: string, field: string): string => `={{ $('${step}').first().json.${field} }}`;

/** The steps, in the order in which each needs the one before. */
export function everyOperation(
  { templateId, failedMessageId, receivedMessageId, fileUrl }: Prepared,
): Step[] {
  const step = (
    resource: string,
    operation: string,
    parameters: Record<string, unknown> = {},
    name = `${resource} ${operation}`,
  ): Step => ({ name, parameters: { resource, operation, ...parameters } });
  return [
    step("contact", "upsert", {
      ...person,
      additionalFields: { name: "Ana", tags: "n8n, new", customLabels: '{"crmId":"4711"}' },
    }),
    step("contact", "get", { contactUuid: of("contact upsert", "contactId") }),
    step("contact", "update", {
      ...person,
      additionalFields: { company: "Silva", isFavorite: true },
    }),
    step("contact", "changeTags", { ...person, addTags: "vip, paid", removeTags: "new" }),
    step("contact", "setConsent", {
      ...person,
      marketing: "granted",
      additionalFields: { source: "form" },
    }),
    step("contact", "block", person),
    step("contact", "unblock", person),
    step("contact", "getAll", { returnAll: true, filters: { tag: "vip" } }),
    step("contact", "sanitizePhone", { rawPhone: "+55 (11) 98888-0001", country: "" }),
    step("contact", "upsert", { contactBy: "phone", phone: other }, "second contact"),
    step("contact", "merge", {
      mergedContactId: of("second contact", "contactId"),
      intoContactId: of("contact upsert", "contactId"),
    }),
    step("contact", "export", { contactUuid: of("contact upsert", "contactId") }),
    step("contact", "upsert", { contactBy: "phone", phone: third }, "third contact"),
    step("contact", "delete", { contactUuid: of("third contact", "contactId") }),
    step("contact", "getErasure", { erasureId: of("contact delete", "erasureId") }),
    {
      name: "bytes",
      type: "n8n-nodes-base.set",
      typeVersion: 3.4,
      parameters: { mode: "raw", jsonOutput: JSON.stringify({ pixel }), options: {} },
    },
    {
      name: "a file",
      type: "n8n-nodes-base.convertToFile",
      typeVersion: 1.1,
      parameters: {
        operation: "toBinary",
        sourceProperty: "pixel",
        options: { fileName: "a.png", mimeType: "image/png" },
      },
    },
    step("media", "upload", { binaryPropertyName: "data" }),
    step("media", "download", {
      mediaId: of("media upload", "mediaId"),
      binaryPropertyName: "file",
    }),
    step("message", "send", {
      ...person,
      messageType: "image",
      message: "from a binary field",
      fileFrom: "binary",
      binaryPropertyName: "file",
    }, "message of a binary field"),
    step("media", "uploadFromUrl", { url: fileUrl }),
    ...messageSteps(step, failedMessageId, receivedMessageId),
    step("template", "send", {
      templateId: { __rl: true, mode: "id", value: templateId },
      ...person,
      variables: { variable: [{ name: "pedido", value: "4711" }] },
    }),
    ...batchSteps(step),
    ...conversationSteps(step),
    {
      ...step("message", "send", {
        ...person,
        messageType: "text",
        message: "whose answer is lost",
      }, "message of lost answers"),
      // n8n retries no node that goes on with an error.
      settings: {
        ...{ retryOnFail: true, maxTries: 3, waitBetweenTries: 100 },
        onError: "stopWorkflow",
      },
    },
    step("message", "send", {
      contactBy: "phone",
      phone,
      messageType: "option_list",
      message: "Which one?",
      listTitle: "Plans",
      buttonLabel: "Choose",
      listOptions: { option: [{ title: "", id: "", description: "" }] },
    }, "message that is refused"),
  ];
}

type MakeStep = (
  resource: string,
  operation: string,
  parameters?: Record<string, unknown>,
  name?: string,
) => Step;

function messageSteps(
  step: MakeStep,
  failedMessageId: string,
  receivedMessageId: string,
): Step[] {
  return [
    step("message", "send", {
      ...person,
      messageType: "text",
      message: "from a workflow",
      additionalFields: {
        cardId: "order-4711",
        metadata: { entry: [{ key: "order.id", value: "4711" }] },
        otherFields: '{"purpose":"utility"}',
      },
    }),
    step("message", "send", {
      ...person,
      messageType: "option_list",
      message: "Which one?",
      listTitle: "Plans",
      buttonLabel: "Choose",
      listOptions: {
        option: [{ title: "Gold", id: "g", description: "" }, {
          title: "Silver",
          id: "",
          description: "less",
        }],
      },
    }, "message of a list"),
    step("message", "send", {
      ...person,
      messageType: "document",
      message: "",
      fileFrom: "mediaId",
      mediaId: of("media uploadFromUrl", "mediaId"),
      mediaFilename: "bill.pdf",
    }, "message of a stored file"),
    step("message", "get", { messageId: of("message send", "messageId") }),
    step("message", "getAll", { returnAll: false, limit: 2, filters: { direction: "outbound" } }),
    step("message", "getHistory", {
      ...person,
      start: "={{ $now.minus({ days: 1 }).toISO() }}",
      end: "={{ $now.plus({ days: 1 }).toISODate() }}",
      format: "conversation",
    }),
    step("message", "getHealth"),
    step("message", "send", {
      ...person,
      messageType: "text",
      message: "later",
      additionalFields: { sendAt: tomorrow },
    }, "message of tomorrow"),
    step("message", "getQueue", { returnAll: true }),
    step("message", "move", {
      messageId: of("message of tomorrow", "messageId"),
      additionalFields: { sendAt: "={{ $now.plus({ days: 2 }).toISO() }}" },
    }),
    step("message", "cancel", { messageId: of("message of tomorrow", "messageId") }),
    step("message", "send", {
      ...person,
      messageType: "text",
      message: "never",
      additionalFields: { sendAt: tomorrow, cancelKey: "appointment-1" },
    }, "message under a key"),
    step("message", "cancelMany", { cancelKey: "appointment-1" }),
    step("message", "edit", {
      messageId: of("message send", "messageId"),
      newText: "from a workflow, edited",
    }),
    step("message", "deleteForEveryone", { messageId: of("message send", "messageId") }),
    step("message", "markAsRead", { messageId: receivedMessageId, typing: true }),
    step("message", "retry", { messageId: failedMessageId }),
    step("message", "startWithAgent", { ...person, messageText: "Hello, this is the assistant" }),
  ];
}

function batchSteps(step: MakeStep): Step[] {
  const batchId = of("batch create", "batchId");
  return [
    step("batch", "create", {
      batchContent: "text",
      batchText: "Hello {{nome}}",
      recipients: `[{"phone":"${phone}"}]`,
      additionalFields: { name: "From n8n", intervalSeconds: 3600 },
    }),
    step("batch", "addRecipients", {
      batchId,
      recipients: "={{ [{ phone: '5511988880004', variables: { nome: 'Rui' } }] }}",
    }),
    step("batch", "dryRun", { batchId }),
    step("batch", "start", { batchId }),
    step("batch", "pause", { batchId }),
    step("batch", "resume", { batchId }),
    step("batch", "get", { batchId }),
    step("batch", "getAll", { returnAll: true }),
    step("batch", "getRecipients", { batchId, returnAll: true }),
    step("batch", "retryFailed", { batchId }),
    step("batch", "cancel", { batchId }),
  ];
}

function conversationSteps(step: MakeStep): Step[] {
  const conversationId = of("conversation getAll", "conversationId");
  return [
    step("conversation", "getAll", { returnAll: false, limit: 1, filters: {} }),
    step("conversation", "get", { conversationId }),
    step("conversation", "addNote", { ...person, note: "A note of n8n" }),
    step("conversation", "getNotes", { conversationId, returnAll: true }),
    step("conversation", "assign", { ...person, assignTo: "ana@example.com" }),
    step("conversation", "getTransfers", { conversationId, returnAll: true }),
    step("conversation", "unassign", person),
    step("conversation", "setAgentPause", { ...person, paused: true, minutes: 5 }),
    step("conversation", "getAgentPause", person),
    // The demo is of a gateway, whose conversations have no other responder.
    step("conversation", "setControl", { ...person, control: "take" }),
    step("conversation", "setStatus", { ...person, status: "closed" }),
  ];
}

/** A workflow as n8n imports it. */
export function writeWorkflow(
  id: string,
  steps: readonly Step[],
  trigger: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const credentials = {
    messagingIntegrationApi: { id: "messagingCredential", name: "Messaging" },
  };
  const nodes = steps.map(({ name, parameters, type, typeVersion, settings }, index) => ({
    id: `00000000-0000-4000-8000-${String(index + 1).padStart(12, "0")}`,
    name,
    type: type ?? "n8n-nodes-messaging-integration.messagingIntegration",
    typeVersion: typeVersion ?? 1,
    position: [(index + 1) * 200, 0],
    parameters,
    alwaysOutputData: true,
    // Every node is tried: what fails is told by its output.
    onError: "continueRegularOutput",
    ...settings,
    ...(type === undefined ? { credentials } : {}),
    executeOnce: true,
  }));
  const first = { id: "first", name: "first", position: [0, 0], credentials, ...trigger };
  const names = ["first", ...steps.map(({ name }) => name)];
  return {
    id,
    name: id,
    active: false,
    settings: { timezone: "America/Sao_Paulo" },
    nodes: [first, ...nodes],
    connections: Object.fromEntries(
      names.slice(1).map((name, index) => [
        names[index],
        { main: [[{ node: name, type: "main", index: 0 }]] },
      ]),
    ),
  };
}
