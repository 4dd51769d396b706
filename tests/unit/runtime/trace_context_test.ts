import {
  currentTraceparent,
  parseTraceparent,
  runInTrace,
} from "../../../shared/runtime/trace_context.ts";
import { assertEquals } from "../../support/assert.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const valid = `00-${traceId}-00f067aa0ba902b7-01`;

Deno.test("a valid traceparent is returned as it came", () => {
  for (const header of [valid, `00-${traceId}-00f067aa0ba902b7-00`, `cc-${valid.slice(3)}`]) {
    assertEquals(parseTraceparent(header), header);
  }
});

Deno.test("of a later version of traceparent only the known fields are returned", () => {
  assertEquals(parseTraceparent(`01-${valid.slice(3)}-what comes later`), `01-${valid.slice(3)}`);
});

Deno.test("an invalid traceparent is ignored", () => {
  const invalid = [
    undefined,
    "",
    "x",
    traceId,
    ` ${valid}`,
    `${valid} `,
    `${valid}\n`,
    `${valid}-`,
    `${valid}-more`,
    `${valid}, ${valid}`,
    valid.toUpperCase(),
    `ff-${valid.slice(3)}`,
    `01-${valid.slice(3)}x`,
    `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId}-00f067aa0ba902b7`,
    `00-${traceId}-00f067aa0ba902b7-0`,
    `00-${traceId}-00f067aa0ba902b7-0g`,
    `00-${traceId.slice(1)}-00f067aa0ba902b7-01`,
  ];
  for (const header of invalid) assertEquals(parseTraceparent(header), null, String(header));
});

Deno.test("a trace reaches what its work starts, and no work beside it", async () => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const seen: (string | undefined)[] = [];
  const look = async (): Promise<void> => {
    await opened;
    seen.push(currentTraceparent());
  };
  const started = [runInTrace("a", look), runInTrace("b", look), look()];
  open();
  await Promise.all(started);
  assertEquals(seen, ["a", "b", undefined]);
});
