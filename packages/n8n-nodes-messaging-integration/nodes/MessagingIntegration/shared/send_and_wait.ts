import {
  type IDataObject,
  type IExecuteFunctions,
  type INodeExecutionData,
  type IWebhookDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeOperationError,
} from "n8n-workflow";
import { readSignedCall, refuseSignature } from "../../MessagingIntegrationTrigger/signed_call";
import { describeRefusal, readObject } from "./answer";
import { callKey } from "./request";
import { questionSendingNames } from "./sending";
import { callService, type ServiceCall } from "./service_call";

/** Where a waiting execution is called. It is of no workflow that is active: nothing registers it. */
export const resumeWebhooks: IWebhookDescription[] = [{
  name: "default",
  httpMethod: "POST",
  responseMode: "onReceived",
  responseData: "",
  path: "={{ $nodeId }}",
  restartWebhook: true,
  isFullPath: true,
}];

/** What this run of the node keeps for the call that ends the waiting. */
interface KeptQuestion {
  readonly questionId: string | undefined;
  readonly notifySecret: string | undefined;
}

const secondsOf: Readonly<Record<string, number>> = { minutes: 60, hours: 3600, days: 86_400 };

/**
 * How much longer than its question the execution waits: a message may wait in the queue before its time
 * counts, and the service repeats its call for about a day.
 */
const slackSeconds = 7 * 86_400;

/**
 * Asks one person, and puts the execution to wait. The service calls the execution's resume URL when the question
 * has ended: answered, expired or canceled.
 */
export async function sendAndWait(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
  const items = this.getInputData();
  if (items.length > 1) {
    throw new NodeOperationError(this.getNode(), "One execution waits for one answer at a time", {
      description: "Use Loop Over Items to ask one person after the other.",
    });
  }
  const fields = this.getNodeParameter("additionalFields", 0, {}) as IDataObject;
  const seconds = readAnswerWithin(this);
  const { questionId, notifySecret } = await call(this, {
    method: "POST",
    path: "/send-message",
    body: writeQuestion(this, fields, seconds),
    // No key of the user: the body has the execution's own address, and one key stands for one body.
    headers: { "Idempotency-Key": callKey(this, {}, 0) },
  });
  if (typeof questionId !== "string" || typeof notifySecret !== "string") {
    throw new NodeOperationError(this.getNode(), "The service has asked nothing");
  }
  // It may have ended already, such as one whose message the channel has refused: nobody calls a second time.
  const question = await call(this, { path: `/messages-api/questions/${questionId}` });
  if (question.status !== "waiting" && question.status !== "open") {
    return [[{ json: question, pairedItem: { item: 0 } }]];
  }
  Object.assign(this.getContext("node"), { questionId, notifySecret } satisfies KeptQuestion);
  await this.putExecutionToWait(new Date(Date.now() + (seconds + slackSeconds) * 1000));
  return [items];
}

/** Ends the waiting with what became of the question, where the call is signed by the service for this question. */
export async function resumeWithEnd(this: IWebhookFunctions): Promise<IWebhookResponseData> {
  const { questionId, notifySecret } = readKept(this);
  const { type, data } = readObject(readSignedCall(this, notifySecret)?.body);
  const end = data as IDataObject | undefined;
  if (end === undefined || end.questionId !== questionId) return refuseSignature(this);
  const status = String(type).replace(/^question\./, "");
  return { workflowData: [[{ json: { status, ...end } }]] };
}

/** What the run that waits has kept, from the execution's data: a webhook reaches it by an expression alone. */
function readKept(context: IWebhookFunctions): KeptQuestion {
  const node = `$node[${JSON.stringify(context.getNode().name)}]`;
  const read = (name: string) =>
    context.evaluateExpression(`{{ ${node}.context["${name}"] }}`) as string | undefined;
  return { questionId: read("questionId"), notifySecret: read("notifySecret") };
}

/** The call that asks, with the address that ends the waiting. */
function writeQuestion(
  context: IExecuteFunctions,
  fields: IDataObject,
  answerWithinSeconds: number,
): IDataObject {
  const read = (name: string) => context.getNodeParameter(name, 0);
  const by = read("contactBy") as string;
  const accept = read("accept") as string;
  const { questionKey, remindAfter, reminder, onInvalid } = fields;
  const { button = [] } = accept === "choice" ? read("answerButtons") as IDataObject : {};
  const ask: IDataObject = {
    accept,
    answerWithin: writeDuration(answerWithinSeconds),
    notifyUrl: readResumeUrl(context),
    ...(questionKey ? { key: questionKey } : {}),
    ...(remindAfter ? { remindAfter: writeDuration(Number(remindAfter) * 60) } : {}),
    ...(reminder ? { reminder } : {}),
    ...(onInvalid ? { onInvalid } : {}),
  };
  return {
    [by]: read(by),
    messageType: messageTypes[accept] ?? "text",
    message: read("question"),
    ...(accept === "choice" ? { buttons: (button as IDataObject[]).map(writeButton) } : {}),
    ...Object.fromEntries(
      questionSendingNames.flatMap((name) =>
        fields[name] === undefined ? [] : [[name, fields[name]]]
      ),
    ),
    ask,
  };
}

/** The seconds of "Answer Within", in whichever unit. */
function readAnswerWithin(context: IExecuteFunctions): number {
  const unit = String(context.getNodeParameter("answerWithinUnit", 0));
  const seconds = secondsOf[unit];
  if (seconds === undefined) {
    throw new NodeOperationError(context.getNode(), `"${unit}" is no unit of Answer Within`, {
      description: "It is minutes, hours or days.",
    });
  }
  return Number(context.getNodeParameter("answerWithin", 0)) * seconds;
}

/** Whole seconds, which are what the service takes: 1.1 days are 95040.00000000001 s in binary. */
function writeDuration(seconds: number): string {
  return `PT${Math.round(seconds)}S`;
}

/** What asks for this answer; a text where nothing else is said. */
const messageTypes: Readonly<Record<string, string>> = {
  choice: "buttons",
  contact: "contact_request",
  location: "location_request",
};

function writeButton({ title, id }: IDataObject): IDataObject {
  return { title, ...(id ? { id } : {}) };
}

/** The address of this waiting node, signed where n8n signs it. It is opaque: nothing may be appended. */
function readResumeUrl(context: IExecuteFunctions): string {
  // Older versions of n8n have no signature.
  if (typeof context.getSignedResumeUrl === "function") return context.getSignedResumeUrl();
  const url = context.evaluateExpression("{{ $execution.resumeUrl }}", 0) as string;
  return `${url}/${context.getNode().id}`;
}

/** Calls the service, and reads what it answers. @throws {NodeApiError} for a refusal. */
async function call(
  context: IExecuteFunctions,
  asked: ServiceCall,
): Promise<IDataObject> {
  const answer = await callService(context, asked);
  if (answer.statusCode >= 400) {
    throw describeRefusal(context.getNode(), answer.statusCode, answer.body, 0);
  }
  return readObject(answer.body);
}
