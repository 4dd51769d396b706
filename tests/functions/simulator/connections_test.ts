/** Each simulated provider tells a lost connection in its own words, which the service reads. */

import { channels } from "../../../supabase/local/simulator/channels.ts";
import { readProviderEvents } from "../../support/providers/provider_events.ts";
import { assertEquals } from "../../support/assert.ts";

for (const channel of channels) {
  Deno.test(`${channel.name} tells that a connection was lost and that it is back`, () => {
    const at = "2026-11-20T12:00:00.000Z";
    for (const state of ["disconnected", "connected"] as const) {
      const [event] = readProviderEvents(
        channel.kind,
        channel.composeConnection({ instance: "SALES", state, at }),
        "SALES",
      );
      assertEquals(
        event?.kind === "connection" ? [event.state, event.at] : event,
        [state, at],
      );
    }
  });
}
