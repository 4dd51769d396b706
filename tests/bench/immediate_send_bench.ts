import type { Bench, BenchContext } from "./bench.ts";
import type { BenchDatabase } from "./bench_server.ts";
import { type Child, findFreePort, startChild } from "./child_process.ts";
import { measureRate } from "./load.ts";
import { messageText } from "./product_calls.ts";
import { alternate } from "./rounds.ts";
import { post, type StackInstance, startStackProcess } from "./stack_process.ts";

const connections = 16;
const instanceCount = 20;
const phones = 1_000;

const stepsSchema = `
create schema bench;
grant usage on schema bench to service_role;
create table bench.steps (
  id bigint generated always as identity primary key, phone text not null, message text
);
grant select, insert on bench.steps to service_role;
create function bench.read_step(wanted text) returns bigint language sql
as $$ select count(*) from bench.steps where id = 1 and phone = wanted $$;
create function bench.write_step(phone text, message text) returns bigint language sql
as $$ insert into bench.steps (phone, message) values (phone, message) returning id $$;
grant execute on all functions in schema bench to service_role;
`;

/** A send from request to answer, against a handler with nothing but as many database calls. */
export const immediateSendBench: Bench = {
  name: "immediate_send",
  title: `Immediate sends through the running stack, ${connections} connections`,
  async run({ server, sizes, report }: BenchContext): Promise<void> {
    await using database = await server.createDatabase();
    await database.admin.unsafe(stepsSchema);
    await using double = await startOnPort("tests/bench/provider_double.ts", {});
    await using stack = await startStackProcess(database);
    await using bare = await startBareHandler(database, 2);
    await using bareWriting = await startBareHandler(database, 3);
    const instances = await stack.createInstances(instanceCount, double.origin);

    const rate = (call: (sequence: number) => Promise<unknown>) => (): Promise<number> =>
      measureRate({ callers: connections, seconds: sizes.seconds, call });
    const bodyOf = (sequence: number): Record<string, unknown> => ({
      phone: String(5_521_990_000_000 + sequence % phones),
      messageType: "text",
      message: messageText,
    });
    const measured = await alternate(sizes.rounds, {
      ours: rate((sequence) =>
        stack.send(instances[sequence % instanceCount] as StackInstance, bodyOf(sequence))
      ),
      bare: rate((sequence) => post(bare.origin, {}, bodyOf(sequence))),
      writing: rate((sequence) => post(bareWriting.origin, {}, bodyOf(sequence))),
    });
    report.comparison({
      what: "send-message : bare handler with one read and two commits, no provider",
      over: measured.ours,
      under: measured.bare,
      names: ["send-message, its provider called", "bare handler"],
      unit: "requests/s",
      bar: { kind: "at least", value: 0.6 },
    });
    report.comparison({
      what: "send-message : bare handler with three commits, no provider",
      over: measured.ours,
      under: measured.writing,
      names: ["send-message, its provider called", "bare handler"],
      unit: "requests/s",
    });
  },
};

function startBareHandler(
  database: BenchDatabase,
  writes: number,
): Promise<Child & { readonly origin: string }> {
  return startOnPort("tests/bench/bare_handler.ts", {
    DATABASE_URL: database.url,
    WRITES: String(writes),
  });
}

/** Starts a program that listens on PORT and answers GET /. */
export async function startOnPort(
  module: string,
  environment: Readonly<Record<string, string>>,
): Promise<Child & { readonly origin: string }> {
  const port = findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const child = await startChild({
    args: ["run", "-A", module],
    environment: { ...environment, PORT: String(port) },
    healthUrl: origin,
  });
  return { ...child, origin };
}
