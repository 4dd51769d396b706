// deno-lint-ignore-file explicit-function-return-type -- plain JavaScript, run by Node
// What the list of templates offers, searched and page by page, and that a refusal is no empty list.
// Argument: the built package.

const assert = require("node:assert/strict");
const { join } = require("node:path");
const { MessagingIntegration } = require(
  join(process.argv[2], "dist/nodes/MessagingIntegration/MessagingIntegration.node.js"),
);

const { searchTemplates } = new MessagingIntegration().methods.listSearch;
const template = (name, status, variables) => ({
  templateId: `id_${name}`,
  name,
  language: "pt_BR",
  status,
  variables,
});

async function search(answer, ...asked) {
  const calls = [];
  const context = {
    getCredentials: () => Promise.resolve({ baseUrl: "https://api.example/", instanceId: "demo" }),
    getNode: () => ({ name: "node" }),
    helpers: {
      httpRequestWithAuthentication: (_credential, options) => {
        calls.push(options);
        return Promise.resolve(answer);
      },
    },
  };
  return { found: await searchTemplates.call(context, ...asked), calls };
}

async function judge() {
  const first = await search({
    statusCode: 200,
    body: {
      items: [
        template("saiu", null, ["nome", "1"]),
        template("aviso", "APPROVED", []),
        template("pausa", "PAUSED", []),
      ],
      nextCursor: "next",
    },
  });
  assert.deepEqual(first.found, {
    results: [
      { name: "saiu (pt_BR)", value: "id_saiu", description: "Variables: nome, 1" },
      { name: "aviso (pt_BR)", value: "id_aviso", description: "No variables" },
      { name: "pausa (pt_BR) [PAUSED]", value: "id_pausa", description: "No variables" },
    ],
    paginationToken: "next",
  });
  const last = await search(
    { statusCode: 200, body: { items: [], nextCursor: null } },
    ` ${"é".repeat(150)}`,
    "next",
  );
  assert.deepEqual(last.found, { results: [] });
  assert.deepEqual([...first.calls, ...last.calls].map(({ url, qs }) => [url, qs]), [
    [
      "https://api.example/functions/v1/messages-api/templates",
      { instanceId: "demo", limit: 50 },
    ],
    [
      "https://api.example/functions/v1/messages-api/templates",
      { instanceId: "demo", limit: 50, q: "é".repeat(100), cursor: "next" },
    ],
  ]);
  // The class of n8n's errors is not beside the built package: that it is thrown is what shows here.
  await assert.rejects(() => search({ statusCode: 403, body: { message: "It needs send." } }));
  process.stdout.write("fine\n");
}

judge();
