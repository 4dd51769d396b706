/** What one tenant does in the bench `neighbours` while the other's sends are measured. */

import type { BenchDatabase } from "./bench_server.ts";
import { functionEnvironment } from "./function_environment.ts";
import type { StackInstance, StackProcess } from "./stack_process.ts";

/** Where the scenes play. */
export interface World {
  readonly database: BenchDatabase;
  readonly stack: StackProcess;
  /** The tenant that costs. */
  readonly busy: StackInstance;
  /** Another instance of it, whose provider takes calls and never answers. */
  readonly hanging: StackInstance;
  /** One whose calls hang at the host that answers the measured tenant's. */
  readonly hangingBeside: StackInstance;
  readonly sizes: { readonly merged: number; readonly erased: number };
}

/** A scene: what it needs is prepared in quiet, then it begins, and ends when the phase is over. */
export interface Scene {
  readonly name: string;
  prepare(world: World): Promise<() => Promise<() => Promise<unknown>>>;
}

export const scenes: readonly Scene[] = [
  { name: "holds a lock on one contact", prepare: holdContact },
  { name: "merges two contacts", prepare: mergeContacts },
  {
    name: "has a hanging provider",
    prepare: (world) => hang(world, { tenant: world.hanging, callers: 50 }),
  },
  {
    name: "has 300 sends that hang at the same host",
    prepare: (world) => hangBeside(world),
  },
  { name: "asks for 100 times its limit", prepare: flood },
  { name: "uploads 40 MB", prepare: upload },
  { name: "has 400 long polls", prepare: poll },
  { name: "erases a person", prepare: erase },
  { name: "fills one value in 12,000 places", prepare: fillLongTexts },
  { name: "sends lists that are too long", prepare: sendLongLists },
];

type Json = Readonly<Record<string, unknown>>;

/** Calls a function as a tenant. Whatever it answers, it has answered: a refusal is part of the scenes. */
async function call(
  { stack }: World,
  { clientToken }: StackInstance,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("x-client-token", clientToken);
  return await fetch(`${stack.origin}/functions/v1/${path}`, { ...init, headers });
}

async function send(world: World, tenant: StackInstance, target: Json): Promise<Json> {
  const response = await call(world, tenant, "send-message", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      ...{ instanceId: tenant.instanceId, messageType: "text", message: "Olá!", ...target },
    }),
  });
  return await response.json();
}

/** As many calls as a tenant made that stalled all others, and how fast it makes them. */
const stalling = { calls: 352, perSecond: 88 };

/**
 * Lets `callers` make calls, one after the other and with a pause between, until the returned function is
 * called. They begin within a pause, so that they do not move in step.
 */
function keepCalling(
  callers: number,
  pauseMs: number,
  make: () => Promise<unknown>,
): () => Promise<unknown> {
  const ending = Promise.withResolvers<"over">();
  const pause = (ms: number): Promise<unknown> =>
    Promise.race([ending.promise, new Promise((resolve) => setTimeout(resolve, ms))]);
  const run = async (_: unknown, caller: number): Promise<void> => {
    await pause(pauseMs * caller / callers);
    do await make().catch(() => {}); while (await pause(pauseMs) !== "over");
  };
  const work = Promise.all(Array.from({ length: callers }, run));
  return async () => {
    ending.resolve("over");
    await work;
  };
}

/** Makes many calls without waiting for their answers. @returns what waits for them. */
function callSteadily(make: () => Promise<unknown>): () => Promise<unknown> {
  const work = Array.from({ length: stalling.calls }, async (_, place) => {
    await new Promise((resolve) => setTimeout(resolve, place * 1_000 / stalling.perSecond));
    return await make();
  });
  return () => Promise.allSettled(work);
}

async function holdContact(world: World): Promise<() => Promise<() => Promise<unknown>>> {
  const phone = "5521970000001";
  await send(world, world.busy, { phone });
  return async () => {
    const holder = await world.database.admin.reserve();
    await holder.unsafe("begin");
    await holder`
      select from messaging.contacts
      where instance_id = ${world.busy.instanceId} and phone = ${phone} for update`;
    const stop = callSteadily(() => send(world, world.busy, { phone }));
    return async () => {
      await holder.unsafe("rollback");
      holder.release();
      await stop();
    };
  };
}

async function mergeContacts(world: World): Promise<() => Promise<() => Promise<unknown>>> {
  const gone = await createPerson(world, world.sizes.merged);
  const kept = await createPerson(world, world.sizes.merged);
  return () => {
    const merging = call(world, world.busy, "contacts-api/merge", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        ...{ instanceId: world.busy.instanceId, contactId: gone.contactId },
        intoContactId: kept.contactId,
      }),
    });
    const stop = callSteadily(() => send(world, world.busy, { contactId: gone.contactId }));
    return Promise.resolve(async () => {
      await stop();
      const response = await merging;
      if (!response.ok) throw new Error(`merge: ${response.status} ${await response.text()}`);
      await response.body?.cancel();
    });
  };
}

function hang(
  world: World,
  { tenant, callers, pauseMs = 1_000, onAnswer = () => {} }: {
    readonly tenant: StackInstance;
    readonly callers: number;
    readonly pauseMs?: number;
    readonly onAnswer?: () => void;
  },
): Promise<() => Promise<() => Promise<unknown>>> {
  return Promise.resolve(() => {
    const ending = new AbortController();
    let place = 0;
    const stop = keepCalling(callers, pauseMs, async () => {
      const response = await call(world, tenant, "send-message", {
        method: "POST",
        signal: ending.signal,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          ...{ instanceId: tenant.instanceId, phone: String(5_521_960_000_000 + place++) },
          ...{ messageType: "text", message: "Olá!" },
        }),
      });
      onAnswer();
      await response.body?.cancel();
    });
    return Promise.resolve(async () => {
      ending.abort();
      await stop();
    });
  });
}

/** Begins when all the slots are taken that the tenant gets: a send is answered that has waited for one. */
async function hangBeside(world: World): Promise<() => Promise<() => Promise<unknown>>> {
  const isFull = Promise.withResolvers<void>();
  const begin = await hang(world, {
    tenant: world.hangingBeside,
    ...{ callers: 300, pauseMs: 10_000, onAnswer: () => isFull.resolve() },
  });
  return async () => {
    const end = await begin();
    await isFull.promise;
    return end;
  };
}

async function flood(world: World): Promise<() => Promise<() => Promise<unknown>>> {
  const limit = (requestsPerMinute: number): Promise<Response> =>
    fetch(`${world.stack.origin}/functions/v1/admin-api/instances/${world.busy.instanceId}`, {
      method: "PATCH",
      headers: {
        apikey: functionEnvironment["SUPABASE_SECRET_KEY"] ?? "",
        "content-type": "application/json",
      },
      body: JSON.stringify({ requestsPerMinute }),
    });
  await (await limit(60)).body?.cancel();
  return () => {
    // 100 a second, where one a second is allowed.
    const work: Promise<unknown>[] = [];
    const timer = setInterval(() => {
      work.push(send(world, world.busy, { phone: "5521970000002" }).catch(() => {}));
    }, 10);
    return Promise.resolve(async () => {
      clearInterval(timer);
      await Promise.all(work);
      await (await limit(18_000)).body?.cancel();
    });
  };
}

function upload(world: World): Promise<() => Promise<() => Promise<unknown>>> {
  const file = new Blob([new Uint8Array(40_000_000).fill(37)], { type: "application/pdf" });
  return Promise.resolve(() =>
    Promise.resolve(keepCalling(1, 1_000, async () => {
      const form = new FormData();
      form.set("instanceId", world.busy.instanceId);
      form.set("file", file, "a.pdf");
      const response = await call(world, world.busy, "media-api/media", {
        method: "POST",
        body: form,
      });
      await response.body?.cancel();
    }))
  );
}

async function poll(world: World): Promise<() => Promise<() => Promise<unknown>>> {
  const feed = `events-api/events?instanceId=${world.busy.instanceId}`;
  // Where nothing is to be read a reader begins at the end.
  const { nextCursor } = await (await call(world, world.busy, feed)).json();
  return () => {
    const ending = new AbortController();
    // A reader that is answered at once, because others wait already, asks again later.
    const stop = keepCalling(400, 10_000, async () => {
      const response = await call(
        world,
        world.busy,
        `${feed}&after=${nextCursor}&waitSeconds=20`,
        { signal: ending.signal },
      );
      await response.body?.cancel();
    });
    return Promise.resolve(async () => {
      ending.abort();
      await stop();
    });
  };
}

async function erase(world: World): Promise<() => Promise<() => Promise<unknown>>> {
  const person = await createPerson(world, world.sizes.erased);
  return async () => {
    const response = await call(
      world,
      world.busy,
      `contacts-api/contacts/${person.contactId}?instanceId=${world.busy.instanceId}`,
      { method: "DELETE" },
    );
    if (!response.ok) throw new Error(`erasing: ${response.status} ${await response.text()}`);
    await response.body?.cancel();
    return () => Promise.resolve();
  };
}

/** Posts bodies of a tenant, one after the other. */
function keepPosting(
  world: World,
  calls: readonly (readonly [string, Json])[],
): () => Promise<unknown> {
  const bodies = calls.map(([path, body]) => [path, JSON.stringify(body)] as const);
  let place = 0;
  return keepCalling(2, 200, async () => {
    const [path, body] = bodies[place++ % bodies.length] ?? ["", ""];
    const headers = { "content-type": "application/json" };
    const response = await call(world, world.busy, path, { method: "POST", headers, body });
    await response.body?.cancel();
  });
}

/** Half of the texts are filled, the others would be longer than any channel takes. */
function fillLongTexts(world: World): Promise<() => Promise<() => Promise<unknown>>> {
  const recipients = Array.from({ length: 200 }, (_, place) => ({
    phone: String(5_521_950_000_000 + place),
    variables: { a: place % 2 === 0 ? "short" : "x".repeat(4_000) },
  }));
  const message = { messageType: "text", message: "{{a}}".repeat(12_000) };
  const batch = { dryRun: true, message, recipients };
  return Promise.resolve(() =>
    Promise.resolve(keepPosting(world, [["batches-api/batches", batch]]))
  );
}

function sendLongLists(world: World): Promise<() => Promise<() => Promise<unknown>>> {
  const { instanceId } = world.busy;
  const target = { instanceId, phone: "5521970000003" };
  const message = { ...target, messageType: "option_list", message: "Olá!" };
  const list = { title: "a", buttonLabel: "b", options: Array(80_000).fill({}) };
  const text = { messageType: "text", message: "Olá!" };
  return Promise.resolve(() =>
    Promise.resolve(keepPosting(world, [
      ["send-message", { ...message, optionList: list }],
      ["contacts-api/tags", { ...target, addTags: Array(120_000).fill(1) }],
      ["batches-api/batches", {
        dryRun: true,
        message: text,
        recipients: Array(1_300_000).fill([]),
      }],
    ]))
  );
}

let persons = 0;

/** A person of the busy tenant with many sent messages. */
async function createPerson(world: World, messages: number): Promise<{ contactId: string }> {
  const { contactId } = await send(world, world.busy, {
    phone: String(5_521_980_000_000 + persons++),
  }) as { contactId: string };
  await world.database.admin`
    insert into messaging.messages (
      instance_id, contact_id, conversation_id, direction, message_type, message, mode, status,
      provider_message_id, created_at, sent_at
    )
    select v.instance_id, v.contact_id, v.id, 'outbound', 'text', 'Olá!', 'sent', 'sent',
      gen_random_uuid(), now() - n * interval '1 second', now() - n * interval '1 second'
    from messaging.conversations v
    cross join generate_series(1, ${messages}) as n
    where v.contact_id = ${contactId}`;
  return { contactId };
}
