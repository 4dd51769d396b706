/* eslint-disable -- Deno runs the tests: n8n's rules are for its nodes */
import { join } from "node:path";
import { assert, assertEquals } from "../../../tests/support/assert.ts";
import { makeTemporaryFolder } from "../../../tests/support/stack/local_stack.ts";
import { type Operation, readOperations, sentBy } from "./descriptions.ts";
import { buildNodes, type BuiltNodes, installTools } from "./built_nodes.ts";
import { everyOperation } from "./every_operation.ts";
import { findUnknownParts } from "./document_faults.ts";
import { run } from "./package_copy.ts";

const documentFile = new URL("../../../functions/api-docs/openapi.json", import.meta.url);

Deno.test("the n8n nodes", async (t) => {
  await using folder = await makeTemporaryFolder();
  const failure = await installTools(folder.path);
  if (failure !== null) {
    const name = `are built and judged (skipped: n8n's tools do not install, ${failure})`;
    await t.step({ name, ignore: true, fn: () => {} });
    return;
  }
  const built: BuiltNodes = await buildNodes(folder.path);

  await t.step("n8n's linter has nothing to say of them", () => {
    assert(!/error|warning|problem/.test(built.lint), built.lint);
  });

  await t.step("the lock file fits npm's own way to install, which the README names", async () => {
    await Deno.remove(join(built.folder, "node_modules"));
    const flags = ["--dry-run", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
    assertEquals(typeof await run("npm", ["ci", ...flags], built.folder), "string");
  });

  await t.step("the package has what is built, with icons, and depends on nothing", async () => {
    const manifest = JSON.parse(await Deno.readTextFile(join(built.folder, "package.json")));
    for (const path of [...manifest.n8n.nodes, ...manifest.n8n.credentials]) {
      assert(built.files.includes(path), path);
    }
    for (const icon of ["messaging.svg", "messaging.dark.svg"]) {
      assert(built.files.includes(`dist/icons/${icon}`), icon);
    }
    const others = built.files.filter((path) => !path.startsWith("dist/"));
    assertEquals(others.sort(), ["LICENSE", "README.md", "package.json"]);
    assertEquals([manifest.dependencies, manifest.peerDependencies], [
      undefined,
      { "n8n-workflow": "*" },
    ]);
  });

  const all: Operation[] = await readOperations(built.folder);
  // What is no call alone has code of its own.
  const operations = all.filter(({ routing }) => routing.request !== undefined);

  await t.step("each operation is one of the API's, and sends what that one takes", async () => {
    const document = JSON.parse(await Deno.readTextFile(documentFile));
    assertEquals(operations.flatMap((operation) => findUnknownParts(document, operation)), []);
    assert(operations.length >= 47, `${operations.length} operations`);
    const others = all.filter((operation) => !operations.includes(operation));
    assertEquals(others.map(({ operation }) => operation), ["sendAndWait"]);
  });

  await t.step(
    "an operation with another path, a field that the API lacks, or other choices is found",
    async () => {
      const document = JSON.parse(await Deno.readTextFile(documentFile));
      const send = operations.find(({ resource }) => resource === "template");
      assert(send !== undefined && send.parameters.flatMap(sentBy).length > 10);
      const elsewhere = {
        ...send,
        routing: { request: { method: "PUT", url: "/send-template-message" } },
      };
      const strange = {
        ...send,
        parameters: [...send.parameters, {
          name: "x",
          type: "string",
          routing: { send: { type: "body" as const, property: "colour" } },
        }],
      };
      const consents = (parameter: Operation["parameters"][number]): boolean =>
        sentBy(parameter).some(({ name }) => name === "marketing");
      const consent = operations.find(({ parameters }) => parameters.some(consents));
      assert(consent !== undefined);
      const poorer = {
        ...consent,
        parameters: consent.parameters.filter((parameter) => !consents(parameter)),
      };
      const control = operations.find(({ operation }) => operation === "setControl");
      assert(control !== undefined);
      const narrower = {
        ...control,
        parameters: control.parameters.map((parameter) =>
          parameter.name === "role"
            ? { ...parameter, options: parameter.options?.slice(1) ?? [] }
            : parameter
        ),
      };
      for (const offence of [elsewhere, strange, poorer, narrower]) {
        assert(findUnknownParts(document, offence).length > 0);
      }
    },
  );

  await t.step("the workflow that n8n executes in deno task test:n8n has every operation", () => {
    const named = everyOperation({
      ...{ templateId: "", failedMessageId: "", receivedMessageId: "", fileUrl: "" },
    })
      .filter(({ type }) => type === undefined)
      .map(({ parameters }) => `${parameters["resource"]}.${parameters["operation"]}`);
    const declared = operations.map(({ resource, operation }) => `${resource}.${operation}`);
    assertEquals([...new Set(named)].sort(), declared.sort());
  });

  await t.step("deliveries: only signed, recent and new ones start a workflow", async () => {
    const file = new URL("deliveries.cjs", import.meta.url).pathname;
    assertEquals(await run("node", [file, built.folder], built.folder), "fine\n");
  });

  await t.step("questions: asked once, waited for, and ended by a signed call alone", async () => {
    const file = new URL("questions.cjs", import.meta.url).pathname;
    assertEquals(await run("node", [file, built.folder], built.folder), "fine\n");
  });

  await t.step(
    "templates: the list is searched page by page, and a refusal is no empty list",
    async () => {
      const file = new URL("templates.cjs", import.meta.url).pathname;
      assertEquals(await run("node", [file, built.folder], built.folder), "fine\n");
    },
  );
});
