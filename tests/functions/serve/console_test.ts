import { createServiceConsole } from "../../../supabase/serve/console.ts";
import { assert, assertEquals, assertMatch, assertNotMatch } from "../../support/assert.ts";

const keys = ["sb_secret_first_0123456789", "sb_secret_other_0123456789"] as const;
const subject = createServiceConsole("http://127.0.0.1:9", [...keys]);

function ask(path: string, authorization?: string, method = "GET"): Promise<Response> {
  const headers = new Headers(
    authorization === undefined ? [] : [["authorization", authorization]],
  );
  return subject.fetch(new Request(`http://127.0.0.1${path}`, { headers, method }));
}

function basic(password: string, user = "admin"): string {
  return `Basic ${btoa(`${user}:${password}`)}`;
}

Deno.test("nothing of a service's console is answered without a secret key", async () => {
  const wrong = [
    ...[undefined, "", "Basic", "Basic %%%", `Basic ${btoa("no colon")}`],
    ...[basic(""), basic("sb_secret_first_012345678"), `Bearer ${keys[0]}`, basic("x", keys[0])],
  ];
  for (
    const path of ["/console", "/console/", "/console/dom.js", "/console/schedule", "/console/x"]
  ) {
    for (const authorization of wrong) {
      const response = await ask(path, authorization);
      assertEquals(response.status, 401, `${path} ${authorization}`);
      assertMatch(response.headers.get("www-authenticate") ?? "", /^Basic realm=/);
      assertNotMatch(await response.text(), /sb_secret|<html/);
    }
  }
});

Deno.test("each secret key opens a service's console, whatever the user name is", async () => {
  for (const key of keys) {
    for (const user of ["", "admin", "someone@example.com"]) {
      const response = await ask("/console/", basic(key, user));
      assertEquals(response.status, 200);
      assertMatch(response.headers.get("content-security-policy") ?? "", /default-src 'none'/);
      assertNotMatch(await response.text(), /sb_secret/);
    }
  }
  const [key] = keys;
  assertEquals((await ask("/console", basic(key))).headers.get("location"), "/console/");
  assertEquals((await ask("/console/", basic(key), "POST")).status, 405);
});

Deno.test("a service's console finds all its elements and files, and has none of the simulator's", async () => {
  const authorization = basic(keys[0]);
  const page = await (await ask("/console/", authorization)).text();
  const paths = new Set(
    [...page.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path]) => path ?? ""),
  );
  const sought: string[] = [];
  for (const path of paths) {
    const response = await ask(path, authorization);
    assertEquals([path, response.status], [path, 200]);
    const source = await response.text();
    assertNotMatch(source, /["'`]\/simulator\//, path);
    for (const [, name] of source.matchAll(/from "\.\/([^"]+)"/g)) paths.add(`/console/${name}`);
    for (const [, id = ""] of source.matchAll(/find\("([\w-]+)"\)/g)) sought.push(id);
    for (const [, id = ""] of source.matchAll(/\b(?:list|count|note): "([\w-]+)"/g)) {
      sought.push(id);
    }
  }
  assert(paths.size > 10 && sought.length > 20);
  for (const id of sought) assertEquals([id, page.split(`id="${id}"`).length - 1], [id, 1]);
  assertNotMatch(page, /simulat|receiver|fault/i);
  for (const name of ["main", "phones", "faults", "receiver", "live", "composer", "connections"]) {
    assertEquals((await ask(`/console/${name}.js`, authorization)).status, 404, name);
  }
});
