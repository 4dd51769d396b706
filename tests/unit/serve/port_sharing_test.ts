import { PortSharing, type SharingProcess } from "../../../supabase/serve/port_sharing.ts";
import { assertEquals } from "../../support/assert.ts";

/** A process of a test: what it was told, and how much it works. */
interface Scripted extends SharingProcess {
  readonly told: string[];
  seconds: number | null;
}

function createProcess(): Scripted {
  const told: string[] = [];
  const process: Scripted = {
    told,
    seconds: 0,
    readProcessorSeconds: () => Promise.resolve(process.seconds),
    listen: () => told.push("listen"),
    spread: () => told.push("spread"),
  };
  return process;
}

/** Lets each process work for a share of every second, and looks once a second. */
async function pass(
  sharing: PortSharing,
  clock: { now: number },
  shares: ReadonlyMap<Scripted, number>,
  seconds: number,
): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    clock.now += 1_000;
    for (const [process, share] of shares) process.seconds = (process.seconds ?? 0) + share;
    await sharing.look(clock.now);
  }
}

Deno.test("one process takes connections; the next one does when it dies, at once", () => {
  const sharing = new PortSharing();
  const [first, second, third, fourth] = [
    ...[createProcess(), createProcess()],
    ...[createProcess(), createProcess()],
  ] as [Scripted, Scripted, Scripted, Scripted];
  for (const process of [first, second, third]) sharing.add(process);
  assertEquals([first, second, third].map(({ told }) => told), [["listen"], [], []]);
  sharing.remove(first);
  sharing.add(fourth);
  assertEquals([second, third, fourth].map(({ told }) => told), [["listen"], [], []]);
  // The death of one that waits changes nothing.
  sharing.remove(third);
  assertEquals(fourth.told, []);
  sharing.remove(second);
  assertEquals(fourth.told, ["listen"]);
});

Deno.test("the next process takes connections when all that do are full for a while, and clients spread", async () => {
  const sharing = new PortSharing();
  const clock = { now: 0 };
  const [first, second, third] = [createProcess(), createProcess(), createProcess()];
  for (const process of [first, second, third]) sharing.add(process);
  await pass(sharing, clock, new Map([[first, 0.79]]), 20);
  assertEquals(second.told, [], "it keeps up");
  for (let burst = 0; burst < 5; burst++) {
    await pass(sharing, clock, new Map([[first, 1]]), 2);
    await pass(sharing, clock, new Map([[first, 0.1]]), 1);
  }
  assertEquals(second.told, [], "a burst is no load");
  await pass(sharing, clock, new Map([[first, 0.9]]), 3);
  assertEquals([first.told, second.told, third.told], [["listen", "spread"], ["listen"], []]);
  await pass(sharing, clock, new Map([[first, 1], [second, 0.4]]), 10);
  assertEquals(third.told, [], "one of them has time");
  await pass(sharing, clock, new Map([[first, 1], [second, 0.9]]), 4);
  assertEquals(second.told, ["listen", "spread"]);
  assertEquals(third.told, ["listen"]);
  await pass(sharing, clock, new Map([[first, 1], [second, 1], [third, 1]]), 10);
  assertEquals(first.told, ["listen", "spread", "spread"], "there is no other");
  // As many listen as before when one dies.
  const fourth = createProcess();
  sharing.remove(second);
  sharing.add(fourth);
  assertEquals(fourth.told, ["listen"]);
});

Deno.test("where the system does not tell processor time, every process takes connections", async () => {
  const sharing = new PortSharing();
  const processes = [createProcess(), createProcess(), createProcess()];
  for (const process of processes) {
    process.seconds = null;
    sharing.add(process);
  }
  for (let look = 1; look < 20; look++) await sharing.look(look * 1_000);
  assertEquals(processes.map(({ told }) => told[0]), ["listen", "listen", "listen"]);
});

Deno.test("a process that ends while it is looked at does not come back", async () => {
  const sharing = new PortSharing();
  const [first, second, third] = [createProcess(), createProcess(), createProcess()];
  const asked = Promise.withResolvers<number>();
  const ending = { ...first, readProcessorSeconds: () => asked.promise };
  sharing.add(ending);
  const looking = sharing.look(1_000);
  sharing.remove(ending);
  asked.resolve(1);
  await looking;
  sharing.add(second);
  sharing.add(third);
  assertEquals([second.told, third.told], [["listen"], []]);
});

Deno.test("another process takes connections beside a silent one, and the silent one's end changes nothing", () => {
  const sharing = new PortSharing();
  const [first, second, third, fourth] = [
    ...[createProcess(), createProcess()],
    ...[createProcess(), createProcess()],
  ] as [Scripted, Scripted, Scripted, Scripted];
  for (const process of [first, second, third]) sharing.add(process);
  sharing.substitute(third);
  assertEquals([second.told, third.told], [[], []], "it takes none");
  sharing.substitute(first);
  assertEquals([second.told, third.told], [["listen"], []]);
  // Silent a second time.
  sharing.substitute(first);
  assertEquals(third.told, []);
  sharing.remove(first);
  sharing.add(fourth);
  assertEquals([third.told, fourth.told], [[], []]);
  sharing.remove(second);
  assertEquals([third.told, fourth.told], [["listen"], []]);
});
