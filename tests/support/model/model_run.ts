/** What every command of the model test does: one call, and what its answer must be. */

import type { ServiceAnswer } from "../stack/service_process.ts";
import { require } from "./contract_breach.ts";
import type { ContractModel, ModelContact, ModelMessage } from "./contract_model.ts";
import type { ModelTenant, ServiceWorld, WorldRequest } from "./service_world.ts";

/** The service as one sequence of commands meets it. */
export class ModelRun {
  /** How many of the provider's calls the model has been told of. */
  #observed = 0;
  #texts = 0;

  constructor(readonly world: ServiceWorld, readonly tenant: ModelTenant) {}

  /** A number that no other message is. */
  nextNumber(): string {
    this.#texts += 1;
    return `${1_000 + this.#texts}`;
  }

  /** A text that no other message has, by which the provider knows what to do. */
  nextText(fate: string): string {
    this.#texts += 1;
    return `m${this.#texts} ${fate}`;
  }

  /** Calls; the process is alive, so there is an answer, and never a defect. */
  async call(path: string, request?: WorldRequest): Promise<ServiceAnswer> {
    const answer = await this.world.call(this.tenant, path, request);
    require(answer !== null, `${path} was not answered`);
    require(answer.status !== 500, `${path}: ${JSON.stringify(answer.body)}`);
    return answer;
  }

  /** Calls, and requires a status. @returns the body. */
  async expect(
    statuses: number | readonly number[],
    path: string,
    request?: WorldRequest,
  ): Promise<ServiceAnswer["body"]> {
    const { status, body } = await this.call(path, request);
    require(
      [statuses].flat().includes(status),
      `${request?.method ?? ""} ${path}: ${status}, not ${statuses}: ${JSON.stringify(body)}`,
    );
    return body;
  }

  /** Lets the model judge what has arrived at the provider since it was last asked. */
  observe(model: ContractModel): void {
    model.questions.passTime(this.world.nowMs());
    const calls = this.world.providerCalls;
    for (; this.#observed < calls.length; this.#observed++) {
      const call = calls[this.#observed];
      if (call?.gateway === this.tenant.gatewayInstanceId) model.observe(call);
    }
  }

  /** A run of the dispatcher, after which nothing that was due may wait, unless it sends one alone. */
  async dispatch(model: ContractModel, maxMessages?: number): Promise<void> {
    const startedAtMs = this.world.nowMs();
    await this.world.dispatch(maxMessages);
    this.observe(model);
    model.settleClaims(startedAtMs);
    if (maxMessages !== undefined) return;
    model.questions.endDue(startedAtMs, !model.isHeld && model.isWindowOpen);
    const overdue = model.overdue(startedAtMs);
    require(overdue === undefined, `${overdue?.text} was due and has not left`);
  }

  /** Waits until a message that is due has left; another one may have taken its turn. */
  async untilLeft({ messageId }: ModelMessage): Promise<void> {
    const path = `messages-api/messages/${messageId}`;
    for (let tries = 0; tries < 50; tries++) {
      const { status } = await this.expect(200, path);
      if (status !== "queued" && status !== "sending") return;
      await new Promise((resolve) => setTimeout(resolve, 10 + tries));
    }
  }

  /** Requires that the record of a message says what the model says. */
  async checkMessage(model: ContractModel, message: ModelMessage): Promise<void> {
    if (message.messageId === null) return;
    const path = `messages-api/messages/${message.messageId}`;
    if (message.contact.isErased) return void await this.expect(404, path);
    this.checkRecord(model, message, await this.expect(200, path));
  }

  /** The same of a record that has been read. */
  checkRecord(model: ContractModel, message: ModelMessage, record: ServiceAnswer["body"]): void {
    const shown = model.shown(message);
    require(
      shown.includes(record.status),
      `${message.text} is ${record.status}, not ${shown.join(" or ")}`,
    );
    require(record.message === message.text, `${message.text} reads ${record.message}`);
    this.checkContact(model, message.contact, record.contactId);
    const question = model.questions.all.find((item) => item.message === message);
    require(
      (record.question === undefined) === (question === undefined),
      `${message.text} asks ${JSON.stringify(record.question)}`,
    );
    const states = [...question?.possible ?? []].map((state) => state.split(":")[0]);
    require(
      question === undefined || states.includes(record.question.status),
      `${message.text} asks what is ${record.question?.status}, not ${states.join(" or ")}`,
    );
  }

  /** Requires that each question is what it may be. What has just left may be known a moment later. */
  async checkQuestions(model: ContractModel): Promise<void> {
    if (model.questions.all.length === 0) return;
    const read = async (): Promise<ServiceAnswer["body"][]> =>
      (await this.expect(200, "messages-api/questions?limit=100")).items;
    let records = await read();
    for (let tries = 0; tries < 25 && !model.questions.agree(records); tries++) {
      await new Promise((resolve) => setTimeout(resolve, 10 + tries * 5));
      records = await read();
    }
    model.questions.check(records);
    for (const question of model.questions.all) {
      const { message, key } = question;
      const record = records.find((item) => item.key === key);
      if (record !== undefined) this.checkContact(model, message.contact, record.contact.contactId);
    }
  }

  /** Requires that a person has one contact. */
  checkContact(model: ContractModel, contact: ModelContact, id: unknown): void {
    require(typeof id === "string", `no contact: ${id}`);
    model.nameContact(contact, id);
  }

  /** Leaves nothing to the next sequence's dispatchers. */
  async abandon(): Promise<void> {
    const { instanceId } = this.tenant;
    await this.world.administer("POST", "queue/hold", { instanceId });
  }

  /** The whole feed. */
  async readFeed(): Promise<FeedEvent[]> {
    const events: FeedEvent[] = [];
    for (let after = "oldest", hasMore = true; hasMore;) {
      const path = `events-api/events?after=${encodeURIComponent(after)}&limit=1000`;
      const body = await this.expect(200, path);
      events.push(...body.items);
      ({ nextCursor: after, hasMore } = body);
    }
    return events;
  }

  /** All messages of the tenant, by the list. */
  async readMessages(): Promise<ServiceAnswer["body"][]> {
    const items = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const from: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const body: ServiceAnswer["body"] = await this.expect(
        200,
        `messages-api/messages?limit=100${from}`,
      );
      items.push(...body.items);
      cursor = body.nextCursor;
    }
    return items;
  }
}

/** An event, as the feed shows it. */
export interface FeedEvent {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  // deno-lint-ignore no-explicit-any -- judged field by field
  readonly data: any;
}
