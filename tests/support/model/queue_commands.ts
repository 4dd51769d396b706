/** Commands about what stops the queue: holds, the window, batches, and processes that die. */

import fc from "fast-check";
import {
  beginMessage,
  choice,
  choose,
  fate,
  type ModelCommand,
  person,
  phoneOf,
  sendWish,
  spelling,
  toCommand,
} from "./commands.ts";
import type { ContractModel, ModelBatch, ModelMessage } from "./contract_model.ts";
import type { ModelRun } from "./model_run.ts";
import { claimSeconds } from "./service_world.ts";

/** An operator holds the instance, or lets it go on. */
export const hold: fc.Arbitrary<ModelCommand> = fc.boolean().map((isHeld) =>
  toCommand({
    name: isHeld ? "hold" : "release",
    check: (model) => model.isHeld !== isHeld,
    run: (model, run) => setHold(model, run, isHeld),
  })
);

export async function setHold(
  model: ContractModel,
  run: ModelRun,
  isHeld: boolean,
): Promise<void> {
  const { instanceId } = run.tenant;
  await run.world.administer("POST", `queue/${isHeld ? "hold" : "release"}`, { instanceId });
  model.isHeld = isHeld;
}

/** The window is closed for days, or opened for good. */
export const changeWindow: fc.Arbitrary<ModelCommand> = fc.boolean().map((isOpen) =>
  toCommand({
    name: isOpen ? "open the window" : "close the window",
    check: (model) => model.isWindowOpen !== isOpen,
    run: (model, run) => setWindow(model, run, isOpen),
  })
);

export async function setWindow(
  model: ContractModel,
  run: ModelRun,
  isOpen: boolean,
): Promise<void> {
  // In three days, in whatever zone: neither today nor around midnight.
  const far = (new Date().getUTCDay() + 2) % 7 + 1;
  const days = isOpen ? [1, 2, 3, 4, 5, 6, 7] : [far];
  await run.world.administer("PATCH", `instances/${run.tenant.instanceId}`, {
    sendWindow: { start: "00:00", end: "24:00", days },
  });
  model.isWindowOpen = isOpen;
}

/** A batch to some of the persons begins. */
export const beginBatch: fc.Arbitrary<ModelCommand> = fc.record({
  to: fc.uniqueArray(fc.record({ person, spelling, fate }), {
    ...{ minLength: 1, maxLength: 3, selector: (item) => item.person },
  }),
  seconds: fc.constantFrom(10, 20),
}).map(({ to, seconds }) =>
  toCommand({
    name: `batch ${JSON.stringify({ to, seconds })}`,
    run: async (model, run) => {
      const texts = to.map((recipient) => run.nextText(recipient.fate));
      const { batchId } = await run.expect(201, "batches-api/batches", {
        body: {
          message: { messageType: "text", message: "{{text}}" },
          intervalSeconds: seconds,
          recipients: to.map((recipient, place) => ({
            phone: phoneOf(recipient.person, recipient.spelling),
            variables: { text: texts[place] },
          })),
        },
      });
      const batch: ModelBatch = { batchId, status: "running" };
      model.batches.push(batch);
      for (const [place, recipient] of to.entries()) {
        model.messages.push({
          ...{ text: texts[place]!, person: recipient.person, fate: recipient.fate, batch },
          ...{ lane: "paced", intervalMs: seconds * 1_000, dueAtMs: run.world.nowMs() },
          contact: model.contactOf(`phone:${recipient.person}`),
          ...{ messageId: null, providerMessageId: null, status: "waiting", claimedUntilMs: 0 },
          ...{ story: [], call: null },
        });
      }
      await run.expect(200, `batches-api/batches/${batchId}/start`, { body: {} });
    },
  })
);

/** A batch is paused, goes on, or ends. */
export const changeBatch: fc.Arbitrary<ModelCommand> = fc.record({
  place: choice,
  action: fc.constantFrom("pause", "resume", "cancel"),
}).map(({ place, action }) =>
  toCommand({
    name: `${action} batch ${place}`,
    check: (model) => model.batches.length > 0,
    run: (model, run) => actOnBatch(model, run, choose(model.batches, place)!, action),
  })
);

const batchActions: Readonly<
  Record<string, readonly [ModelBatch["status"][], ModelBatch["status"]]>
> = {
  pause: [["running"], "paused"],
  resume: [["paused"], "running"],
  cancel: [["running", "paused"], "canceled"],
};

export async function actOnBatch(
  model: ContractModel,
  run: ModelRun,
  batch: ModelBatch,
  action: string,
): Promise<void> {
  const [from, to] = batchActions[action]!;
  const recipients = model.messages.filter((message) => message.batch === batch);
  // It has ended, or may have.
  const isOver = recipients.every(({ status, contact }) =>
    status !== "waiting" && status !== "in_flight" || contact.isErased
  );
  const expected = from.includes(batch.status) ? isOver ? [200, 409] : [200] : [409];
  const { status, body } = await run.call(`batches-api/batches/${batch.batchId}/${action}`, {
    body: {},
  });
  if (!expected.includes(status)) {
    throw new Error(`${action} of a batch that is ${batch.status}: ${JSON.stringify(body)}`);
  }
  if (status === 200) batch.status = to;
}

/** The process ends as a deployment ends it, and another one starts. */
export const restart: fc.Arbitrary<ModelCommand> = fc.constant(0).map(() =>
  toCommand({ name: "restart", run: (_, run) => run.world.restart() })
);

/** The process is killed while the provider has a message that a call sends, and another one starts. */
export const killInSend: fc.Arbitrary<ModelCommand> = sendWish.map((wish) =>
  toCommand({
    name: `kill in send ${JSON.stringify(wish)}`,
    run: async (model, run) => {
      const message = beginMessage(model, run, { ...wish, lane: "immediate" });
      const arrived = run.world.holdNextCall();
      const answered = run.world.call(run.tenant, "send-message", message.call!);
      // Where no call leaves, its answer ends the wait, and the model judges that.
      await Promise.race([arrived, answered]);
      await cutOff(model, run, message);
      await answered;
      const record = (await run.readMessages()).find((item) => item.message === message.text);
      if (record === undefined) throw new Error(`${message.text} is lost`);
      message.messageId = record.messageId;
      run.checkRecord(model, message, record);
    },
  })
);

/** The process is killed while its dispatcher sends, or idle where nothing leaves. */
export const killDispatcher: fc.Arbitrary<ModelCommand> = fc.constant(0).map(() =>
  toCommand({
    name: "kill the dispatcher",
    check: (model) => model.waiting().length > 0,
    run: async (model, run) => {
      const { items } = await run.expect(200, "messages-api/queue?limit=1");
      const waitSeconds = (Date.parse(items[0]?.scheduledFor ?? "") - Date.now()) / 1_000;
      if (waitSeconds > 0 && waitSeconds < 200) await run.world.skip(waitSeconds);
      const count = run.world.providerCalls.length;
      const arrived = run.world.holdNextCall();
      await run.world.beginDispatch(1);
      const timer = Promise.withResolvers<void>();
      // By then the run has ended: no claim is left without its call.
      const id = setTimeout(timer.resolve, 2_500);
      await Promise.race([arrived, timer.promise]);
      clearTimeout(id);
      const call = run.world.providerCalls[count];
      const message = model.messages.find(({ text }) => text === call?.text);
      const words = call === undefined ? undefined : model.questions.wordsOf(call.text);
      if (words !== undefined) words.isCutOff = true;
      await cutOff(model, run, message);
    },
  })
);

async function cutOff(
  model: ContractModel,
  run: ModelRun,
  message: ModelMessage | undefined,
): Promise<void> {
  // It was claimed just before its call came: the seconds of the restart count.
  const claimedUntilMs = run.world.nowMs() + claimSeconds * 1_000;
  model.lost = message ?? null;
  run.observe(model);
  await run.world.killAndRestart();
  if (message !== undefined) model.cutOff(message, claimedUntilMs);
  run.observe(model);
}
