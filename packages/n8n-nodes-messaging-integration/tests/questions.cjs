// deno-lint-ignore-file explicit-function-return-type require-await -- plain JavaScript, for Node
// Judges "Send and Wait for Response", built, on Node: `node questions.cjs <folder of the built package>`.

const assert = require("node:assert/strict");
const { createHmac } = require("node:crypto");
const { join } = require("node:path");
const { MessagingIntegration } = require(
  join(process.argv[2], "dist/nodes/MessagingIntegration/MessagingIntegration.node.js"),
);

const node = new MessagingIntegration();
const { sendAndWait } = node.customOperations.message;
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const resumeUrl = "https://n8n.example/webhook-waiting/7/node-1?signature=abc";
const asked = { statusCode: 200, body: { questionId: "q1", notifySecret: secret } };
const open = { statusCode: 200, body: { success: true, questionId: "q1", status: "open" } };

/** Executes the node. `answers`: those of the service, one a call. */
async function execute(
  parameters,
  answers,
  { items = [{ json: { order: 1 } }], signs = true } = {},
) {
  const [calls, waits, kept] = [[], [], {}];
  const given = {
    contactBy: "phone",
    phone: "5511988887777",
    question: "Shall we come?",
    accept: "choice",
    answerButtons: { button: [{ title: "Yes", id: "yes" }, { title: "No", id: "" }] },
    answerWithin: 2,
    answerWithinUnit: "hours",
    ...parameters,
  };
  const context = {
    getInputData: () => items,
    getNode: () => ({ id: "node-1", name: "ask" }),
    getNodeParameter: (name, _item, otherwise) => given[name] ?? otherwise,
    getCredentials: async () => ({ baseUrl: "https://api.example/", instanceId: "demo" }),
    getInstanceId: () => "n8n-1",
    getWorkflow: () => ({ id: "workflow-1" }),
    getExecutionId: () => "7",
    getContext: () => kept,
    evaluateExpression: (text) =>
      text.includes("resumeUrl") ? "https://n8n.example/webhook-waiting/7" : 0,
    putExecutionToWait: async (until) => void waits.push(until),
    ...(signs ? { getSignedResumeUrl: () => resumeUrl } : {}),
    helpers: {
      httpRequestWithAuthentication: async (_credential, options) => {
        calls.push(options);
        return answers[calls.length - 1];
      },
    },
  };
  return { output: await sendAndWait.call(context), calls, waits, kept };
}

/** Calls the node's webhook. @returns its result, and the status that it has answered. */
async function resume(kept, event, { key = secret, at = Date.now(), body } = {}) {
  const bytes = Buffer.from(body ?? JSON.stringify(event));
  const timestamp = String(Math.floor(at / 1000));
  const sealed = createHmac("sha256", Buffer.from(key.slice(6), "base64"))
    .update(`msg_1.${timestamp}.`).update(JSON.stringify(event)).digest("base64");
  let status = 200;
  const response = { status: (code) => (status = code, response), json: () => response };
  const result = await node.webhook.call({
    getNode: () => ({ id: "node-1", name: 'ask "it"' }),
    evaluateExpression: (text) => {
      const [, name] = /^\{\{ \$node\["ask \\"it\\""\]\.context\["(\w+)"\] \}\}$/.exec(text) ?? [];
      return kept[name];
    },
    getHeaderData: () => ({
      "webhook-id": "msg_1",
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${sealed}`,
    }),
    getRequestObject: () => ({ rawBody: bytes }),
    getResponseObject: () => response,
  });
  return { result, status };
}

async function judgeAsking() {
  const { output, calls, waits, kept } = await execute({}, [asked, open]);
  assert.deepEqual(output, [[{ json: { order: 1 } }]]);
  const [send, look] = calls;
  assert.equal(send.url, "https://api.example/functions/v1/send-message");
  assert.deepEqual(send.body, {
    phone: "5511988887777",
    messageType: "buttons",
    message: "Shall we come?",
    buttons: [{ title: "Yes", id: "yes" }, { title: "No" }],
    ask: { accept: "choice", answerWithin: "PT7200S", notifyUrl: resumeUrl },
    instanceId: "demo",
  });
  assert.match(send.headers["Idempotency-Key"], /^n8n_[0-9a-f]{64}$/);
  assert.deepEqual([look.method, look.url], [
    "GET",
    "https://api.example/functions/v1/messages-api/questions/q1",
  ]);
  assert.deepEqual(kept, { questionId: "q1", notifySecret: secret });
  const waitsHours = (waits[0].getTime() - Date.now()) / 3_600_000;
  assert.ok(waitsHours > 2 + 7 * 24 - 1 && waitsHours <= 2 + 7 * 24, `${waitsHours}`);

  // n8n's retry repeats the call as it was; an older n8n signs nothing.
  const again = await execute({}, [asked, open], { signs: false });
  assert.equal(again.calls[0].headers["Idempotency-Key"], send.headers["Idempotency-Key"]);
  assert.equal(again.calls[0].body.ask.notifyUrl, "https://n8n.example/webhook-waiting/7/node-1");

  const types = { text: "text", location: "location_request", contact: "contact_request" };
  for (const [accept, messageType] of Object.entries(types)) {
    const { calls: [{ body, headers }] } = await execute({
      accept,
      answerWithinUnit: "days",
      additionalFields: {
        ...{ questionKey: "k", remindAfter: 30, reminder: "And?", onInvalid: "Sorry?" },
        ...{ queued: false, idempotencyKey: "order-1" },
      },
    }, [asked, open]);
    assert.equal(headers["Idempotency-Key"], send.headers["Idempotency-Key"]);
    assert.deepEqual([body.messageType, body.buttons, body.queued], [
      messageType,
      undefined,
      false,
    ]);
    assert.deepEqual(body.ask, {
      ...{ accept, answerWithin: "PT172800S", notifyUrl: resumeUrl, key: "k" },
      ...{ remindAfter: "PT1800S", reminder: "And?", onInvalid: "Sorry?" },
    });
  }
}

async function judgeDurations() {
  const given = [
    [26.4, "hours", 1.5, "PT95040S", "PT90S"],
    [1.1, "days", 0.51, "PT95040S", "PT31S"],
    [90.01, "minutes", 60, "PT5401S", "PT3600S"],
  ];
  for (const [answerWithin, answerWithinUnit, remindAfter, ...durations] of given) {
    const { calls: [{ body: { ask } }] } = await execute({
      ...{ answerWithin, answerWithinUnit, additionalFields: { remindAfter } },
    }, [asked, open]);
    assert.deepEqual([ask.answerWithin, ask.remindAfter], durations);
  }
  await assert.rejects(() => execute({ answerWithinUnit: "weeks" }, [asked, open]));
}

async function judgeWhatDoesNotWait() {
  const canceled = { status: "canceled", reason: "not_sent", questionId: "q1" };
  const ended = await execute({}, [asked, { statusCode: 200, body: canceled }]);
  assert.deepEqual(ended.output, [[{ json: canceled, pairedItem: { item: 0 } }]]);
  assert.deepEqual(ended.waits, []);
  const refusal = { statusCode: 400, body: { error: "invalid_request", message: "No." } };
  await assert.rejects(() => execute({}, [refusal]));
  await assert.rejects(() => execute({}, [{ statusCode: 200, body: { messageId: "m" } }]));
  await assert.rejects(() => execute({}, [asked, open], { items: [{ json: {} }, { json: {} }] }));
}

async function judgeResuming() {
  const kept = { questionId: "q1", notifySecret: secret };
  const answer = { text: "sim!", choice: { id: "yes", title: "Yes" } };
  const event = { type: "question.answered", data: { questionId: "q1", key: null, answer } };
  const { result, status } = await resume(kept, event);
  assert.deepEqual([status, result], [200, {
    workflowData: [[{ json: { status: "answered", questionId: "q1", key: null, answer } }]],
  }]);
  const expired = { type: "question.expired", data: { questionId: "q1" } };
  const late = await resume(kept, expired);
  assert.equal(late.result.workflowData[0][0].json.status, "expired");

  const refused = [
    await resume(kept, event, { key: "whsec_b3RoZXI=" }),
    await resume(kept, event, { at: Date.now() - 301_000 }),
    await resume(kept, event, { body: JSON.stringify(event).replace("yes", "no") }),
    await resume(kept, { ...event, data: { questionId: "q2" } }),
    // The node keeps nothing where it does not wait.
    await resume({}, event),
  ];
  for (const one of refused) {
    assert.deepEqual([one.status, one.result], [401, { noWebhookResponse: true }]);
  }
}

async function judge() {
  await judgeAsking();
  await judgeDurations();
  await judgeWhatDoesNotWait();
  await judgeResuming();
  process.stdout.write("fine\n");
}

judge();
