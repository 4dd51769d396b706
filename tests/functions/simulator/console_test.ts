import { batchResponseSchema } from "../../../functions/batches-api/contract.ts";
import { consentStates, contactSchema } from "../../../shared/model/contact_record.ts";
import { recordStatusSchema } from "../../../shared/model/message_record.ts";
import { holdReasons } from "../../../shared/model/message_status.ts";
import { channels } from "../../../supabase/local/simulator/channels.ts";
import { replyFileTypes } from "../../../supabase/local/simulator/records.ts";
import { createConsole } from "../../../supabase/local/console/console.ts";
import { serviceConsolePage } from "../../../supabase/serve/console_page.ts";
import { assert, assertEquals, assertMatch, assertNotMatch } from "../../support/assert.ts";

const demo = {
  instanceId: "i",
  clientToken: "t",
  secretKeyFile: "/data/keys.json",
  baseUrl: "http://127.0.0.1:54321",
};
const schedule = {
  timeZone: "America/Sao_Paulo",
  sendWindow: { start: "08:00", end: "20:00", days: [1, 2, 3, 4, 5], holidays: [] },
};
const readSchedule = (instanceId: string) => Promise.resolve(instanceId === "i" ? schedule : null);
const subject = createConsole({ demo: () => demo, readSchedule });
/** Names, the same in every language. */
const names = new Set([
  ...channels.map(({ name }) => name),
  ...["X-Client-Token", "apikey", "https://…"],
  ...["BR.9XJQRIBA77", "SCAM, 2027-01-31, TIER_2K"],
]);
const browserFolder = new URL("../../../supabase/console/browser/", import.meta.url);

async function get(path: string): Promise<{ response: Response; text: string }> {
  const response = await subject.fetch(new Request(`http://127.0.0.1${path}`));
  return { response, text: await response.text() };
}

Deno.test("the console page runs only its own files", async () => {
  const { response, text } = await get("/");
  assertEquals(response.status, 200);
  assertMatch(response.headers.get("content-type") ?? "", /^text\/html/);
  const policy = response.headers.get("content-security-policy") ?? "";
  assertMatch(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
  assertNotMatch(text, /\son\w+=|<script(?![^>]*\ssrc="\/console\/)|\sstyle=/);
});

Deno.test("every control of the console page has a name", async () => {
  const { text } = await get("/");
  const controls = [...text.matchAll(/<(input|select)\b/g)];
  const labels = [...text.matchAll(/<label class="field/g)];
  assert(controls.length > 0);
  assertEquals(labels.length, controls.length);
  const clearButtons = [...text.matchAll(/<button [^>]*>Clear<\/button>/g)];
  assert(clearButtons.length > 0);
  for (const [button] of clearButtons) assertMatch(button, /aria-label="Clear the /);
});

Deno.test("every element that the scripts look for is in the page, once", async () => {
  const { text } = await get("/");
  const scripts = await readLocalScripts();
  const sought = scripts.flatMap(({ source }) => [
    ...[...source.matchAll(/find\("([\w-]+)"\)/g)].map((match) => match[1]),
    ...[...source.matchAll(/\b(?:list|count|note): "([\w-]+)"/g)].map((match) => match[1]),
  ]);
  assert(sought.length > 20);
  for (const id of sought) assertEquals([id, text.split(`id="${id}"`).length - 1], [id, 1]);
});

Deno.test("every script and style that the page loads is served, each with its type", async () => {
  const { text } = await get("/");
  const loaded = [...text.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map((match) => match[1]);
  const scripts = await readLocalScripts();
  const imported = scripts.flatMap(({ source }) =>
    [...source.matchAll(/from "\.\/([^"]+)"/g)].map((match) => `/console/${match[1]}`)
  );
  const written = scripts.map(({ name }) => `/console/${name}`);
  assert(loaded.length >= 2 && imported.length >= 5);
  for (const path of new Set([...loaded, ...imported, ...written])) {
    assert(path !== undefined && subject.handles(path), `${path} is not served`);
    const { response } = await get(path);
    assertEquals(response.status, 200);
    const type = path.endsWith(".css") ? "text/css" : "text/javascript";
    assertEquals(response.headers.get("content-type"), `${type}; charset=utf-8`);
  }
});

Deno.test("no script of the console turns text into markup", async () => {
  for (const { name, source } of await readScripts()) {
    assertNotMatch(source, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/, name);
  }
});

Deno.test("the Portuguese dictionary has exactly the console's texts, with their values", async () => {
  const { portuguese }: { portuguese: Record<string, string> } = await import(
    new URL("portuguese.js", browserFolder).href
  );
  const pages = [(await get("/")).text, serviceConsolePage];
  const page = pages.map((text) => text.slice(text.indexOf("<title>"))).join("");
  const written = [
    ...Array.from(page.matchAll(/>([^<]+)</g), ([, words]) => words),
    ...Array.from(page.matchAll(/ (?:placeholder|aria-label)="([^"]+)"/g), ([, words]) => words),
  ].map((words) => (words ?? "").trim().replace(/\s+/g, " "))
    .filter((words) => /[A-Za-z]/.test(words) && !names.has(words));
  const said = (await readScripts()).flatMap(({ source }) =>
    Array.from(source.matchAll(/\bsay\(\s*"([^"]+)"/g), ([, words]) => words ?? "")
  );
  assert(written.length > 60 && said.length > 40);
  const wanted = [...new Set([...written, ...said])].sort();
  assertEquals(Object.keys(portuguese).sort(), wanted);
  for (const [english, translated] of Object.entries(portuguese)) {
    const values = (words: string): string[] => [...words.match(/\{\w+\}/g) ?? []].sort();
    assertEquals(values(translated), values(english), english);
  }
});

Deno.test("the console has words for each name of the API", async () => {
  const words: Record<string, Record<string, unknown>> = await import(
    new URL("api_words.js", browserFolder).href
  );
  const { status, pauseReason, counts } = batchResponseSchema.shape;
  const { identities } = contactSchema.shape;
  const waiting = ["pending", "queued"];
  const tables: Record<string, readonly string[]> = {
    statusNames: recordStatusSchema.options,
    holdNames: holdReasons,
    batchStatusNames: status.options,
    pauseReasonNames: pauseReason.unwrap().options,
    countNames: Object.keys(counts.shape).filter((name) => !waiting.includes(name)),
    consentNames: consentStates,
    identityNames: identities.element.shape.kind.options,
    fileKinds: replyFileTypes,
  };
  assertEquals(Object.keys(words).sort(), Object.keys(tables).sort());
  for (const [table, names] of Object.entries(tables)) {
    const missing = names.filter((name) => !Object.hasOwn(words[table] ?? {}, name));
    assertEquals([table, names.length > 0, missing], [table, true, []]);
  }
});

Deno.test("GET /simulator/demo gives the fields of the page, or null without a demo", async () => {
  assert(subject.handles("/simulator/demo"));
  assertEquals(JSON.parse((await get("/simulator/demo")).text), demo);
  const bare = createConsole({ demo: () => null, readSchedule });
  const response = await bare.fetch(new Request("http://127.0.0.1/simulator/demo"));
  assertEquals(await response.json(), null);
});

Deno.test("GET /console/schedule gives an instance's send window, or null", async () => {
  assert(subject.handles("/console/schedule"));
  const asked = async (query: string) => JSON.parse((await get(`/console/schedule${query}`)).text);
  assertEquals(await asked("?instanceId=i"), schedule);
  assertEquals([await asked("?instanceId=j"), await asked("")], [null, null]);
});

Deno.test("the console serves its own files only, and refuses POST", async () => {
  for (const path of ["/console/../console.ts", "/console/page.ts", "/simulator/messages"]) {
    assertEquals([path, subject.handles(new URL(path, "http://a").pathname)], [path, false]);
  }
  assertEquals((await get("/console/page.ts")).response.status, 404);
  const posted = await subject.fetch(new Request("http://127.0.0.1/", { method: "POST" }));
  assertEquals(posted.status, 405);
});

/** Without the script of a service's page, which the local console does not serve. */
async function readLocalScripts(): Promise<{ name: string; source: string }[]> {
  return (await readScripts()).filter(({ name }) => name !== "service_main.js");
}

async function readScripts(): Promise<{ name: string; source: string }[]> {
  const scripts: { name: string; source: string }[] = [];
  for await (const entry of Deno.readDir(browserFolder)) {
    const source = await Deno.readTextFile(new URL(entry.name, browserFolder));
    scripts.push({ name: entry.name, source });
  }
  return scripts;
}
