import { eventTypes } from "../../shared/model/event_types.ts";
import { assertEquals } from "../support/assert.ts";
import {
  type MarkdownPage,
  readAnchors,
  readCodeSpans,
  readCommands,
  readLinks,
} from "./markdown.ts";
import { isSymlink, listFiles, listNames, readText, readTextFiles } from "./repository.ts";
import { resolveRelative } from "./source_file.ts";

/** The pages outside `docs/`, of which every page is read. */
const pageNames = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"],
  ...["functions/api-docs/README.md", "supabase/local/simulator/README.md"],
  ...["packages/client/README.md", "packages/n8n-nodes-messaging-integration/README.md"],
];

/** Words in code formatting that pages name as wrong examples, or as endings of names. */
const absentWords = new Set(["utils", "helpers", "common", "Temporal", "_at"]);

/** What the README, the tour and your own instance give the shell; every page means the same by them. */
const sharedVariables = ["API", "TOKEN", "KEY"];

/** Words of Meta, Evolution API and the platform that our code does not contain. */
const foreignWords = new Set([
  "whatsapp_business_messaging",
  "whatsapp_business_management",
  "function_search_path_mutable",
  ...["MESSAGES_EDITED", "SEND_MESSAGE_UPDATE", "CONNECTION_UPDATE", "CONTACTS_UPDATE"],
  "webhook_configuration",
  "override_callback_uri",
]);

async function readPages(): Promise<MarkdownPage[]> {
  const pages = await readTextFiles(...pageNames, "docs");
  return pages.filter(({ path }) => path.endsWith(".md"));
}

/** Every path of the repository: its files and, without their slash, its folders. */
async function listPaths(): Promise<Set<string>> {
  const names = (await listNames(".")).filter((name) => !/^\.(?:git|local)$/.test(name));
  const paths = new Set(names);
  if (await isSymlink("supabase/migrations")) paths.add("supabase/migrations");
  for (const path of await listFiles(...names)) {
    const parts = path.split("/");
    for (let depth = 1; depth <= parts.length; depth++) paths.add(parts.slice(0, depth).join("/"));
  }
  return paths;
}

/** Finds links and paths in code formatting without a target. `<slug>` and `*` match any one name. */
function findDeadPaths(pages: readonly MarkdownPage[], paths: ReadonlySet<string>): string[] {
  const exists = (path: string): boolean => {
    const plain = path.replace(/\/$/, "");
    if (!/[<*]/.test(plain)) return paths.has(plain);
    const escaped = plain.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
    const pattern = new RegExp(`^${escaped.replace(/<[\w ]+>|\*/g, "[^/]+")}$`);
    return [...paths].some((known) => pattern.test(known));
  };
  return pages.flatMap((page) => {
    const links = readLinks(page).filter((link) => !/^(?:https?:|#)/.test(link));
    const targets = links.map((link) => resolveRelative(page.path, `./${link.replace(/#.*/, "")}`));
    const named = readCodeSpans(page).filter((code) =>
      /^(?:functions|shared|supabase|migrations|tests|\.ci)\/[\w./<>*-]*$/.test(code) ||
      /^\.?[\w.-]+\.(?:md|json|lock|example)$/.test(code)
    );
    return [...targets.map(String), ...named].filter((path) => !exists(path))
      .map((path) => `${page.path} names ${path}`);
  });
}

function findDeadAnchors(pages: readonly MarkdownPage[]): string[] {
  return pages.flatMap((page) =>
    readLinks(page).filter((link) => !/^https?:/.test(link) && link.includes("#")).filter(
      (link) => {
        const [place, anchor] = link.split("#");
        const path = resolveRelative(page.path, `./${place}`);
        const target = place === "" ? page : pages.find((other) => other.path === path);
        return target === undefined || !readAnchors(target).includes(anchor ?? "");
      },
    ).map((link) => `${page.path} links to ${link}`)
  );
}

function findUnknownTasks(pages: readonly MarkdownPage[], tasks: readonly string[]): string[] {
  return pages.flatMap(({ path, text }) =>
    Array.from(
      text.matchAll(/\bdeno(?:@[\d.]+)? task (?:--?[\w=.-]+ )*([a-z][\w:-]*)/g),
      ([, name]) => name ?? "",
    ).filter((name) => !tasks.includes(name)).map((name) => `${path} runs ${name}`)
  );
}

/** Finds links whose text names a different file than their target. */
function findMisnamedLinks(pages: readonly MarkdownPage[]): string[] {
  return pages.flatMap(({ path, text }) =>
    Array.from(text.matchAll(/\[([\w./-]+\.[a-z]+)\]\((?!https?:)([^)#\s]+)[^)]*\)/g))
      .filter(([, name, target]) => !`/${target}`.endsWith(`/${name}`))
      .map(([link]) => `${path} shows ${link}`)
  );
}

/** Finds tags of releases: a clone may have none, and a page outlives the version that it names. */
function findTags(pages: readonly MarkdownPage[]): string[] {
  return pages.flatMap(({ path, text }) =>
    Array.from(
      text.matchAll(/\bv\d+\.\d+\.\d+\b(?!\.html)/g),
      ([tag]) => `${path} names the tag ${tag}`,
    )
  );
}

/** Finds words in code formatting that no source contains: fields, codes, states, tables, functions. */
function findUnknownWords(pages: readonly MarkdownPage[], sources: readonly string[]): string[] {
  const known = new Set(sources.flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? []));
  return pages.flatMap((page) =>
    readCodeSpans(page).filter((code) => /^[A-Za-z_]\w*$/.test(code))
      .filter((word) => !known.has(word) && !absentWords.has(word) && !foreignWords.has(word))
      .map((word) => `${page.path} names ${word}`)
  );
}

/**
 * Finds calls that a reader could not paste after those of the tour: a `curl` outside a block of shell,
 * another address than `$API`, a variable that neither the tour nor the page itself sets.
 */
function findUnpastableCalls(pages: readonly MarkdownPage[]): string[] {
  return pages.flatMap(({ path, text }) => {
    const blocks = Array.from(text.matchAll(/^```sh\n([\s\S]*?)^```/gm), ([, block]) => block ?? "")
      .filter((block) => /\bcurl\b/.test(block)).join("");
    const count = (words: string): number => words.match(/\bcurl\b/g)?.length ?? 0;
    const own = blocks.matchAll(/\b(\w+)=|\bfor (\w+) in/g);
    const set = new Set([...sharedVariables, ...Array.from(own, ([, name, each]) => name ?? each)]);
    const used = Array.from(blocks.matchAll(/\$\{?([A-Za-z_]\w*)/g), ([, name]) => name ?? "");
    const addresses = Array.from(blocks.matchAll(/\bcurl (?:-\S+ (?:[A-Z]+ )?)*"?([^\s"]+)/g));
    return [
      ...(count(text) > count(blocks) ? [`${path} has a curl outside a block of sh`] : []),
      ...addresses.map(([, address]) => address ?? "")
        .filter((address) => !/^\$API\/(?:functions\/v1|simulator)\//.test(address))
        .map((address) => `${path} calls ${address}`),
      ...used.filter((name) => !set.has(name)).map((name) => `${path} uses $${name}`),
    ];
  });
}

Deno.test("every path, link and anchor of the documentation exists", async () => {
  const pages = await readPages();
  assertEquals(findDeadPaths(pages, await listPaths()), []);
  assertEquals(findDeadAnchors(pages), []);
  assertEquals(findMisnamedLinks(pages), []);
});

Deno.test("no page names a tag of a release", async () => {
  assertEquals(findTags(await readPages()), []);
});

Deno.test("every task that the documentation runs exists", async () => {
  const { tasks } = JSON.parse(await readText("deno.json"));
  const others = [{ path: ".env.example", text: await readText(".env.example") }];
  assertEquals(findUnknownTasks([...await readPages(), ...others], Object.keys(tasks)), []);
});

Deno.test("every word in code formatting in the documentation occurs in the code", async () => {
  const sources = await readTextFiles("functions", "shared", "supabase", "packages", "tests");
  const texts = sources.filter(({ path }) => !path.startsWith("tests/architecture/"))
    .map(({ text }) => text);
  const { tasks } = JSON.parse(await readText("deno.json"));
  const parents = [".", "tests", "supabase/schemas"];
  const folders = [...(await Promise.all(parents.map(listNames))).flat(), ...Object.keys(tasks)];
  assertEquals(findUnknownWords(await readPages(), [...texts, ...folders]), []);
});

Deno.test("every curl of the README and of docs/ can be pasted: whole paths, and one name for each variable", async () => {
  const pages = (await readPages())
    .filter(({ path }) => path === "README.md" || path.startsWith("docs/"));
  assertEquals(findUnpastableCalls(pages), []);
});

Deno.test("docs/events.md says when each type of event is told", async () => {
  const text = await readText("docs/events.md");
  assertEquals(
    eventTypes.filter((type) => !text.includes(`| \`${type}\``) && !text.includes(`, \`${type}\``)),
    [],
  );
});

Deno.test("the README's table links every page of docs/", async () => {
  const [readme] = await readTextFiles("README.md");
  const table = (readme?.text ?? "").split("\n").filter((line) => line.startsWith("|")).join("\n");
  const linked = readLinks({ path: "README.md", text: table });
  const pages = (await listFiles("docs")).filter((path) => /^docs\/[\w-]+\.md$/.test(path));
  assertEquals(pages.length > 30, true);
  assertEquals(pages.filter((path) => !linked.includes(path)), []);
});

Deno.test("the newest section of the changelog begins with what an upgrade asks for", async () => {
  const sections = (await readText("CHANGELOG.md")).split(/^## /m).slice(1);
  const [newest = ""] = sections.filter((section) => /^- /m.test(section));
  assertEquals(/^### (.+)$/m.exec(newest)?.[1], "Upgrading");
});

Deno.test("every page of docs/ can be reached from the README", async () => {
  const pages = await readPages();
  const reached = new Set(["README.md"]);
  for (const path of reached) {
    const page = pages.find((other) => other.path === path);
    const links = page === undefined ? [] : readLinks(page);
    for (const link of links) {
      reached.add(resolveRelative(path, `./${link.replace(/#.*/, "")}`) ?? "");
    }
  }
  const paths = pages.map(({ path }) => path);
  assertEquals(paths.filter((path) => path.startsWith("docs/") && !reached.has(path)), []);
  assertEquals(paths.includes("docs/decisions/0005-sending.md"), true);
});

Deno.test("the README is a start page: what does not fit into 9 kB has its page in docs/", async () => {
  const { length } = new TextEncoder().encode(await readText("README.md"));
  assertEquals(length > 4_000 && length < 9_000, true, `${length} bytes`);
});

Deno.test("the README's first two commands start the stack and run the tests", async () => {
  const [start, test] = readCommands({ path: "README.md", text: await readText("README.md") });
  assertEquals([start, test], [
    "npx --yes deno@2.9.6 task start",
    "npx --yes deno@2.9.6 task test",
  ]);
});

function page(text: string): MarkdownPage {
  return { path: "README.md", text };
}

Deno.test("a dead path is found", () => {
  const paths = new Set(["shared", "shared/phone.ts", "functions/a/contract.ts", "README.md"]);
  const fine = [
    "[phone](shared/phone.ts)",
    "[phone](shared/phone.ts#top)",
    "[site](https://example.com/shared/gone.ts)",
    "`shared/` and `shared/phone.ts` and `functions/<slug>/contract.ts` and `README.md`",
    "`functions/*/contract.ts` and `/functions/v1/a` and `a/b.ts`",
    "```sh\ncat `shared/gone.ts`\n```",
  ];
  for (const text of fine) assertEquals(findDeadPaths([page(text)], paths), [], text);
  const offending = [
    "[phone](shared/gone.ts)",
    "[up](../shared/phone.ts)",
    "`shared/gone.ts`",
    "`functions/<slug>/gone.ts`",
    "`supabase/`",
    "`deno.json`",
  ];
  for (const text of offending) assertEquals(findDeadPaths([page(text)], paths).length, 1, text);
});

Deno.test("a link to a missing heading is found", () => {
  const text = "# Try it, now\n[here](#try-it-now) [there](#gone) [else](README.md#try-it-now)";
  assertEquals(findDeadAnchors([page(text)]), ["README.md links to #gone"]);
  const below = { path: "docs/a.md", text: "[up](../README.md#try-it-now) [up](../README.md#no)" };
  assertEquals(findDeadAnchors([page("# Try it, now"), below]), [
    "docs/a.md links to ../README.md#no",
  ]);
});

Deno.test("a link that names a different file is found", () => {
  const fine = "[a.ts](../shared/a.ts#x) [zapi/a.ts](shared/zapi/a.ts) [the page](docs/b.md)";
  assertEquals(findMisnamedLinks([page(fine)]), []);
  assertEquals(findMisnamedLinks([page("[a.ts](shared/b.ts) [a.ts](shared/aa.ts)")]).length, 2);
});

Deno.test("a task that is not in deno.json is found", () => {
  const text =
    "`deno task test:unit`, then\n\n```sh\nnpx --yes deno@2.9.6 task --env-file start\n```";
  assertEquals(findUnknownTasks([page(text)], ["start", "test:unit"]), []);
  assertEquals(findUnknownTasks([page(text)], ["test"]).length, 2);
});

Deno.test("a tag of a release is found", () => {
  const text =
    "`v<version>`, Graph v26.0, 1.1.0, https://semver.org/spec/v2.0.0.html\n\n```sh\ngit checkout v1.1.0\n```";
  assertEquals(findTags([page(text)]), ["README.md names the tag v1.1.0"]);
});

Deno.test("a word that no source contains is found", () => {
  const text = "`contact_blocked`, `identity key`, `GET /a` and `contact_locked`";
  assertEquals(findUnknownWords([page(text)], ["throw contact_blocked;"]), [
    "README.md names contact_locked",
  ]);
});

Deno.test("a call that cannot be pasted is found", () => {
  const shell = (call: string): MarkdownPage => page(`\`\`\`sh\n${call}\n\`\`\`\n`);
  const path = "$API/functions/v1/contacts-api";
  const fine = [
    `curl -s -X DELETE "${path}/contacts?phone=1" -H "X-Client-Token: $TOKEN"`,
    `ID=$(curl -s ${path}/create | field id)\ncurl -s ${path}/contacts/$ID`,
    "echo $ANYTHING",
  ];
  for (const call of fine) assertEquals(findUnpastableCalls([shell(call)]), [], call);
  const offending = [
    `curl -s ${path}/create -H "apikey: $SECRET_KEY"`,
    'curl -s "$API/contacts-api/create"',
    'curl -s "$BASE_URL/functions/v1/contacts-api/create"',
  ];
  for (const call of offending) {
    assertEquals(findUnpastableCalls([shell(call)]).length > 0, true, call);
  }
  assertEquals(findUnpastableCalls([page(`\`\`\`bash\ncurl ${path}\n\`\`\``)]).length, 1);
});
