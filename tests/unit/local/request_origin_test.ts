import { refuseForeignRequest } from "../../../supabase/local/request_origin.ts";
import { assertEquals } from "../../support/assert.ts";

const port = 54_321;

/** The error of a rejected request; null for a permitted one. */
async function judge(
  path: string,
  headers: Record<string, string>,
  authority = `127.0.0.1:${port}`,
): Promise<string | null> {
  const request = new Request(`http://${authority}${path}`, { method: "POST", headers });
  const refusal = refuseForeignRequest(request, port);
  if (refusal === null) return null;
  assertEquals(refusal.status, 403);
  return (await refusal.json()).error;
}

const ownPages = ["/", "/health", "/simulator/demo", "/simulator/replies", "/api-docs-viewer/x.js"];
const closed = ["/rest/v1/rpc/x", "/functions/v1/admin-api/workspaces"];
const open = ["/functions/v1/send-message", "/functions/v1/api-docs"];

Deno.test("the stack's own hosts are served, with and without their own Origin", async () => {
  for (const path of [...ownPages, ...closed, ...open]) {
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`]) {
      assertEquals(await judge(path, { Host: host }), null, path);
      for (const origin of [`http://127.0.0.1:${port}`, `http://localhost:${port}`]) {
        assertEquals(await judge(path, { Host: host, Origin: origin }), null, path);
      }
    }
    assertEquals(await judge(path, {}), null, "HTTP/1.0 sends no Host");
  }
});

Deno.test("a foreign Host is rejected everywhere, also for functions", async () => {
  const hosts = [
    "rebinding.example.com",
    `rebinding.example.com:${port}`,
    "0.0.0.0",
    "localhost.example.com",
    `127.0.0.1.example.com:${port}`,
    "",
  ];
  for (const path of [...ownPages, ...closed, ...open]) {
    for (const host of hosts) {
      assertEquals(await judge(path, { Host: host }), "foreign_host", `${host} ${path}`);
    }
    const own = { Host: `127.0.0.1:${port}` };
    assertEquals(await judge(path, own, "rebinding.example.com"), "foreign_host", path);
  }
});

Deno.test("a foreign Origin is rejected wherever no client token is required", async () => {
  const origins = [
    "https://shop.example.com",
    "http://localhost:3000",
    `https://127.0.0.1:${port}`,
    `http://127.0.0.1:${port}.example.com`,
    "null",
    "",
  ];
  for (const origin of origins) {
    const headers = { Host: `127.0.0.1:${port}`, Origin: origin };
    for (const path of [...ownPages, ...closed]) {
      assertEquals(await judge(path, headers), "foreign_origin", `${origin} ${path}`);
    }
    for (const path of open) assertEquals(await judge(path, headers), null, `${origin} ${path}`);
  }
});

Deno.test("behind a forwarded port only that port's page is the stack's own", async () => {
  const forwarded = { Host: "localhost:9000" };
  assertEquals(await judge("/simulator/demo", forwarded), null);
  for (
    const [origin, expected] of [
      ["http://localhost:9000", null],
      ["http://localhost:9001", "foreign_origin"],
    ] as const
  ) {
    assertEquals(await judge("/simulator/demo", { ...forwarded, Origin: origin }), expected);
  }
});

Deno.test("a page of another site is rejected without an Origin too, and a link to a page is followed", async () => {
  const host = { Host: `127.0.0.1:${port}` };
  const image = { "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image" };
  const frame = { "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe" };
  const link = { "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
  for (const path of [...ownPages, ...closed]) {
    for (const site of ["cross-site", "same-site"]) {
      const headers = { ...host, "Sec-Fetch-Site": site };
      for (const rest of [{}, image, frame]) {
        assertEquals(await judge(path, { ...headers, ...rest }), "foreign_origin", path);
      }
      assertEquals(await judge(path, { ...headers, ...link }), null, path);
    }
    for (const site of ["same-origin", "none"]) {
      assertEquals(await judge(path, { ...host, ...image, "Sec-Fetch-Site": site }), null, path);
    }
  }
  for (const path of open) {
    assertEquals(await judge(path, { ...host, ...image, "Sec-Fetch-Site": "cross-site" }), null);
  }
});
