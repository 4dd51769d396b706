import { UnverifiedBytes } from "../../../functions/provider-webhook/unverified_bytes.ts";
import { AppError } from "../../../shared/model/errors.ts";
import { assertEquals, assertThrows } from "../../support/assert.ts";

type Held = ReturnType<UnverifiedBytes["hold"]>;

interface Memory {
  readonly displaced: string[];
  hold(source: string, name: string, bytes: number): Held;
}

function openMemory(limits: ConstructorParameters<typeof UnverifiedBytes>[0]): Memory {
  const bytes = new UnverifiedBytes(limits);
  const displaced: string[] = [];
  return {
    displaced,
    hold: (source, name, size) => {
      const held = bytes.hold(source, ({ code }) => displaced.push(`${name} ${code}`));
      held.holdAtLeast(size);
      return held;
    },
  };
}

Deno.test("beyond a source's share its largest body makes room, and no other source's", () => {
  const { displaced, hold } = openMemory({ totalBytes: 100, sourceBytes: 10 });
  hold("other", "other", 9);
  hold("busy", "large", 5);
  hold("busy", "small", 4);
  hold("busy", "smaller", 3);
  assertEquals(displaced, ["large service_unavailable"]);
});

Deno.test("beyond the total the source that holds the most makes room", () => {
  const { displaced, hold } = openMemory({ totalBytes: 20, sourceBytes: 15 });
  hold("busy", "first", 6);
  hold("busy", "second", 6);
  hold("quiet", "own", 7);
  hold("new", "small", 4);
  assertEquals(displaced, ["first service_unavailable"]);
});

Deno.test("a body that is itself the largest is refused, and a whole one makes no room", () => {
  const { displaced, hold } = openMemory({ totalBytes: 100, sourceBytes: 10 });
  const whole = hold("busy", "whole", 8);
  whole.complete();
  const late = hold("busy", "late", 2);
  assertThrows(() => late.holdAtLeast(3), AppError);
  // Once more, as a reader may that has not heard of it.
  assertThrows(() => late.holdAtLeast(4), AppError);
  assertEquals(displaced, ["late service_unavailable"]);
  whole.release();
  whole.release();
  hold("busy", "next", 10);
  assertEquals(displaced.length, 1);
});

Deno.test("what comes of a body counts once, whatever was estimated before", () => {
  const { displaced, hold } = openMemory({ totalBytes: 100, sourceBytes: 10 });
  const first = hold("busy", "first", 4);
  first.holdAtLeast(2);
  first.holdAtLeast(5);
  hold("busy", "second", 5);
  assertEquals(displaced, []);
});
