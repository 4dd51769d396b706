/** Commands about people: what they write, who answers them, that they are one, that they are forgotten. */

import fc from "fast-check";
import {
  choice,
  choose,
  type ModelCommand,
  person,
  phoneOf,
  spelling,
  toCommand,
} from "./commands.ts";
import { require } from "./contract_breach.ts";
import { type ContractModel, type ModelMessage, persons } from "./contract_model.ts";
import type { ModelRun } from "./model_run.ts";
import type { Json } from "./service_world.ts";

/** What {@link createTenant} configures. */
const webhookSecret = "hook-secret-value";

async function deliver(run: ModelRun, payload: Json): Promise<void> {
  const { instanceId, gatewayInstanceId } = run.tenant;
  await run.expect(200, `provider-webhook/zapi/${instanceId}/${webhookSecret}`, {
    body: { instanceId: gatewayInstanceId, momment: Date.now(), ...payload },
  });
}

/** A person writes, under a spelling of the phone, under the LID, or with both; perhaps told twice. */
export const receive: fc.Arbitrary<ModelCommand> = fc.record({
  person,
  spelling,
  as: fc.constantFrom("phone", "lid", "both"),
  times: fc.constantFrom(1, 1, 2),
  isNumber: fc.boolean(),
}).map((wish) =>
  toCommand({
    name: `receive ${JSON.stringify(wish)}`,
    run: async (model, run) => {
      const text = wish.isNumber ? run.nextNumber() : run.nextText("received");
      const phone = phoneOf(wish.person, wish.spelling);
      const lid = persons[wish.person]?.lid;
      const from = wish.as === "lid" ? { phone: lid } : { phone };
      const payload = {
        ...{ type: "ReceivedCallback", messageId: crypto.randomUUID(), isGroup: false },
        ...{ fromMe: false, senderName: "A", text: { message: text }, ...from },
        ...(wish.as === "both" ? { senderLid: lid } : {}),
      };
      if (wish.as === "both") model.join(`phone:${wish.person}`, `lid:${wish.person}`);
      const contact = model.contactOf(`${wish.as === "lid" ? "lid" : "phone"}:${wish.person}`);
      contact.conversationStatus = new Set([...contact.conversationStatus, "open"]);
      model.received.push({ text, contact });
      model.questions.passTime(run.world.nowMs());
      model.questions.receive(contact, text, run.world.nowMs());
      for (let time = 0; time < wish.times; time++) await deliver(run, payload);
      // By its id alone it can be written to.
      if (wish.as === "lid" && contact.id === null) {
        run.checkContact(model, contact, await findContact(run, lid ?? ""));
      }
    },
  })
);

/** The provider tells that a message has arrived, or was read. */
export const report: fc.Arbitrary<ModelCommand> = fc.record({
  place: choice,
  status: fc.constantFrom("RECEIVED", "READ"),
}).map(({ place, status }) =>
  toCommand({
    name: `report ${place} ${status}`,
    check: (model) => reportable(model).length > 0,
    run: async (model, run) => {
      const message = choose(reportable(model), place)!;
      await deliver(run, {
        ...{ type: "MessageStatusCallback", status, ids: [message.providerMessageId] },
      });
      const next = status === "READ" ? "read" : "delivered";
      if (message.status === "sent" || message.status === "delivered" && next === "read") {
        message.status = next;
        message.story.push(next);
      }
      await run.checkMessage(model, message);
    },
  })
);

function reportable(model: ContractModel): ModelMessage[] {
  return model.messages.filter(({ status, providerMessageId, contact, messageId }) =>
    providerMessageId !== null && messageId !== null && !contact.isErased &&
    ["sent", "delivered", "read"].includes(status)
  );
}

const target = fc.record({ person, spelling });

/** The conversation is given to an operator; who had it before is told. */
export const assign: fc.Arbitrary<ModelCommand> = fc.record({ who: target, to: fc.nat(1) }).map((
  { who, to },
) =>
  toCommand({
    name: `assign ${JSON.stringify(who)} to ${to}`,
    run: async (model, run) => {
      const contact = model.contactOf(`phone:${who.person}`);
      const operator = run.tenant.operators[to]!;
      const body = await run.expect(200, "conversations-api/assign", {
        body: { phone: phoneOf(who.person, who.spelling), assignTo: operator },
      });
      run.checkContact(model, contact, body.contactId);
      const before: string | null = body.previousAssignedTo;
      require(
        contact.assignedTo.has(before),
        `assigned before to ${before}, not ${[...contact.assignedTo]}`,
      );
      require(body.assignedTo === operator, `assigned to ${body.assignedTo}, not ${operator}`);
      require(
        body.transferred === (before !== null && before !== operator),
        `transferred ${body.transferred} from ${before} to ${operator}`,
      );
      contact.assignedTo = new Set([operator]);
    },
  })
);

/** The conversation is opened, closed or put off. */
export const setStatus: fc.Arbitrary<ModelCommand> = fc.record({
  who: target,
  status: fc.constantFrom("open", "closed", "pending"),
}).map(({ who, status }) =>
  toCommand({
    name: `status ${JSON.stringify(who)} ${status}`,
    run: async (model, run) => {
      const contact = model.contactOf(`phone:${who.person}`);
      const body = await run.expect(200, "conversations-api/status", {
        body: { phone: phoneOf(who.person, who.spelling), status },
      });
      run.checkContact(model, contact, body.contactId);
      require(body.status === status, `the conversation is ${body.status}, not ${status}`);
      contact.conversationStatus = new Set([status]);
    },
  })
);

/** A person has one conversation, as the calls left it. */
export const readConversation: fc.Arbitrary<ModelCommand> = target.map((who) =>
  toCommand({
    name: `conversation ${JSON.stringify(who)}`,
    check: (model) => model.contacts.has(`phone:${who.person}`),
    run: async (model, run) => {
      const contact = model.contactOf(`phone:${who.person}`);
      const phone = phoneOf(who.person, who.spelling);
      const { items } = await run.expect(200, `conversations-api/conversations?phone=${phone}`);
      require(items.length <= 1, `${items.length} conversations of one person`);
      // A contact whose agent alone was spoken of has none yet.
      const [item] = items;
      const { assignedTo, status } = item ?? { assignedTo: null, status: "open" };
      if (item !== undefined) run.checkContact(model, contact, item.contactId);
      require(
        contact.assignedTo.has(assignedTo),
        `assigned to ${assignedTo}, not ${[...contact.assignedTo]}`,
      );
      require(
        contact.conversationStatus.has(status),
        `the conversation is ${status}, not ${[...contact.conversationStatus]}`,
      );
      contact.assignedTo = new Set([assignedTo]);
      contact.conversationStatus = new Set([status]);
    },
  })
);

/** The agent is paused for a minute, or goes on. */
export const pause: fc.Arbitrary<ModelCommand> = fc.record({ who: target, paused: fc.boolean() })
  .map(({ who, paused }) =>
    toCommand({
      name: `pause ${JSON.stringify(who)} ${paused}`,
      run: async (model, run) => {
        const contact = model.contactOf(`phone:${who.person}`);
        const phone = phoneOf(who.person, who.spelling);
        await checkPause(model, run, who.person, phone);
        const body = await run.expect(200, "conversations-api/agent-pause", {
          body: { phone, paused, ...(paused ? { minutes: 1 } : {}) },
        });
        run.checkContact(model, contact, body.contactId);
        require(body.paused === paused, `paused ${body.paused}, not ${paused}`);
        contact.pausedUntilMs = paused ? run.world.nowMs() + 60_000 : 0;
      },
    })
  );

/** Around its end a pause may be over or not. */
const pauseToleranceMs = 3_000;

async function checkPause(
  model: ContractModel,
  run: ModelRun,
  number: number,
  phone: string,
): Promise<void> {
  const { pausedUntilMs } = model.contactOf(`phone:${number}`);
  const body = await run.expect(200, `conversations-api/agent-pause?phone=${phone}`);
  const leftMs = (pausedUntilMs ?? NaN) - run.world.nowMs();
  if (pausedUntilMs === undefined || Math.abs(leftMs) < pauseToleranceMs) return;
  require(
    body.paused === (leftMs > 0),
    `paused ${body.paused}, with ${leftMs} ms left`,
  );
}

/** What a person's phone is known by, and their LID, become one contact by a call. */
export const merge: fc.Arbitrary<ModelCommand> = fc.record({ person, isPhoneKept: fc.boolean() })
  .map(({ person: number, isPhoneKept }) =>
    toCommand({
      name: `merge ${number} ${isPhoneKept ? "into the phone" : "into the LID"}`,
      check: (model) => {
        const [a, b] = [model.contacts.get(`phone:${number}`), model.contacts.get(`lid:${number}`)];
        return a !== undefined && b !== undefined && a !== b;
      },
      run: async (model, run) => {
        const ids: string[] = [];
        for (const identity of [`phone:${number}`, `lid:${number}`] as const) {
          const contact = model.contactOf(identity);
          const value = identity.startsWith("lid") ? persons[number]?.lid : phoneOf(number, 0);
          ids.push(contact.id ?? await findContact(run, value ?? ""));
          run.checkContact(model, contact, ids.at(-1));
        }
        const [from, into] = isPhoneKept ? [ids[1], ids[0]] : ids;
        const body = await run.expect(200, "contacts-api/merge", {
          body: { contactId: from, intoContactId: into },
        });
        require(body.contactId === into, `merged into ${body.contactId}, not ${into}`);
        model.join(`phone:${number}`, `lid:${number}`);
        run.checkContact(model, model.contactOf(`phone:${number}`), into);
      },
    })
  );

/** The id of the one contact that has an identity. */
async function findContact(run: ModelRun, value: string): Promise<string> {
  const { items } = await run.expect(200, "contacts-api/contacts?limit=100");
  const found = items.filter((item: { readonly identities: readonly { value: string }[] }) =>
    item.identities.some((identity) => isSame(identity.value, value))
  );
  require(found.length === 1, `${found.length} contacts have ${value}`);
  return found[0].contactId;
}

function isSame(one: string, other: string): boolean {
  return one === other ||
    persons.some(({ phones }) => phones.includes(one) && phones.includes(other));
}

/** A person is forgotten. Not while a dead worker holds one of their messages: the erasure waits for it. */
export const erase: fc.Arbitrary<ModelCommand> = person.map((number) =>
  toCommand({
    name: `erase ${number}`,
    check: (model) => {
      const contact = model.contacts.get(`phone:${number}`);
      return contact !== undefined && contact.id !== null &&
        model.messages.every((item) => item.contact !== contact || item.status !== "in_flight") &&
        model.questions.all.every(({ message, words }) =>
          message.contact !== contact || words.every(({ isCutOff }) => !isCutOff)
        );
    },
    run: async (model, run) => {
      const contact = model.contactOf(`phone:${number}`);
      await run.expect(202, `contacts-api/contacts/${contact.id}`, { method: "DELETE" });
      model.erase(contact);
      await run.expect(410, `contacts-api/contacts/${contact.id}`);
    },
  })
);
