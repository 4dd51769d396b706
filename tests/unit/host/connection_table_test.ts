import { ConnectionTable } from "../../../supabase/host/connection_table.ts";
import { assert, assertEquals, assertFalse } from "../../support/assert.ts";

const never = Infinity;
const limits = { max: 3, firstRequestMs: never, idleMs: never, sendingMs: never } as const;

interface Ended {
  readonly ended: string[];
  add(name: string): NonNullable<ReturnType<ConnectionTable["add"]>>;
}

function open(table: ConnectionTable): Ended {
  const ended: string[] = [];
  const add: Ended["add"] = (name) => {
    const connection = table.add((how) => ended.push(`${name} ${how}`));
    assert(connection !== null);
    return connection;
  };
  return { ended, add };
}

Deno.test("beyond the most connections one without a request makes room, first one that never had one", () => {
  const table = new ConnectionTable(limits);
  const { ended, add } = open(table);
  const served = add("served");
  served.begin();
  served.answer(false);
  served.complete();
  add("fresh");
  const busy = add("busy");
  busy.begin();
  const fourth = add("fourth");
  assertEquals(ended, ["fresh at_once"]);
  fourth.begin();
  add("fifth");
  assertEquals(ended, ["fresh at_once", "served gracefully"]);
  assertEquals(table.size, 3);
});

Deno.test("an answer that is being sent is ended at once, but after all that wait for a request", () => {
  const table = new ConnectionTable(limits);
  const { ended, add } = open(table);
  const sending = add("sending");
  sending.begin();
  sending.answer(false);
  add("fresh");
  table.displaceOne();
  table.displaceOne();
  assertEquals(ended, ["fresh at_once", "sending at_once"]);
  assertFalse(table.displaceOne());
  // What the server still tells of it changes nothing.
  sending.complete();
  sending.remove();
  assertEquals(table.size, 0);
});

Deno.test("a connection with a request is never ended, also where another one of it was answered", () => {
  const table = new ConnectionTable({ max: 1, firstRequestMs: 0, idleMs: 0, sendingMs: 0 });
  const { ended, add } = open(table);
  const twice = add("twice");
  twice.begin();
  twice.begin();
  twice.answer(false);
  twice.complete();
  table.expire();
  assertFalse(table.displaceOne());
  assertEquals(table.add(() => {}), null);
  assertEquals(ended, []);
  twice.answer(false);
  table.expire();
  assertEquals(ended, ["twice at_once"]);
});

Deno.test("a client that owes the rest of a body has the time of a first request", () => {
  const table = new ConnectionTable({ ...limits, firstRequestMs: 0 });
  const { ended, add } = open(table);
  for (const isOwed of [true, false]) {
    const connection = add(`owed ${isOwed}`);
    connection.begin();
    connection.answer(isOwed);
    connection.complete();
  }
  table.expire();
  assertEquals(ended, ["owed true at_once"]);
});

Deno.test("a connection ends when its time without a request is over", () => {
  for (
    const [step, shortest, how] of [
      ["fresh", "firstRequestMs", "at_once"],
      ["idle", "idleMs", "gracefully"],
    ] as const
  ) {
    for (const isShort of [true, false]) {
      const table = new ConnectionTable({ ...limits, ...(isShort ? { [shortest]: 0 } : {}) });
      const { ended, add } = open(table);
      const connection = add(step);
      if (step === "idle") {
        connection.begin();
        connection.answer(false);
        connection.complete();
      }
      table.expire();
      assertEquals(ended, isShort ? [`${step} ${how}`] : []);
    }
  }
});
