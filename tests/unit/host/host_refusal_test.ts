import { errorDocsUrl } from "../../../shared/runtime/docs_address.ts";
import { contractDate } from "../../../shared/model/contract_date.ts";
import {
  pathNotFound,
  refuse,
  refuseAddress,
  refuseDefect,
  refuseWhileStarting,
} from "../../../supabase/host/host_refusal.ts";
import { refuseForeignRequest } from "../../../supabase/local/request_origin.ts";
import { assertEquals, assertMatch } from "../../support/assert.ts";

const foreign = new Request("http://elsewhere.example:54321/health");

Deno.test("every refusal of the server itself has the functions' form, names the contract's date and has a request id", async () => {
  const refusals = [
    pathNotFound("/functions/v1/nothing", []),
    refuseAddress(),
    refuseDefect(),
    refuseWhileStarting("/functions/v1/send-message"),
    refuseForeignRequest(foreign, 54321),
  ];
  for (const refusal of refusals) {
    const { headers, status } = refusal ?? new Response();
    assertEquals(headers.get("X-Api-Version"), contractDate, `${status}`);
    assertMatch(headers.get("X-Request-Id") ?? "", /^[0-9a-f-]{36}$/);
    const body = await refusal?.json();
    assertEquals(Object.keys(body), ["success", "error", "message", "docs"]);
    assertEquals(body.docs, errorDocsUrl(body.error));
  }
});

Deno.test("a page reads a refusal, its date and its pause where it may call the function, and no other", () => {
  const pause = { "Retry-After": "1" };
  const refusal = { error: "service_unavailable", message: "Later." };
  const exposed = refuse("send-message", 503, refusal, pause).headers;
  assertEquals(exposed.get("Access-Control-Allow-Origin"), "*");
  const names = exposed.get("Access-Control-Expose-Headers")?.split(",") ?? [];
  for (const name of ["Retry-After", "X-Api-Version", "X-Request-Id"]) {
    assertEquals(names.includes(name), true, name);
  }
  for (const slug of ["admin-api", null]) {
    assertEquals(refuse(slug, 503, refusal).headers.get("Access-Control-Allow-Origin"), null);
  }
});
