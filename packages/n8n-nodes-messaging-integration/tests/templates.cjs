// deno-lint-ignore-file explicit-function-return-type -- plain JavaScript, run by Node
// What the list of templates offers, page by page, and that a refusal is no empty list. Argument: the built package.

// deno-lint-ignore-file explicit-function-return-type -- plain JavaScript, for Node

const assert = require("node:assert/strict");
const { join } = require("node:path");
const { MessagingIntegration } = require(
  join(process.argv[2], "dist/nodes/MessagingIntegration/MessagingIntegration.node.js"),
);

const { getTemplates } = new MessagingIntegration().methods.loadOptions;
const template = (name, status, variables) => ({
  templateId: `id_${name}`,
  name,
  language: "pt_BR",
  status,
  variables,
});

async function load(answers) {
  const calls = [];
  const context = {
    getCredentials: () => Promise.resolve({ baseUrl: "https://api.example/", instanceId: "demo" }),
    getNode: () => ({ name: "node" }),
    helpers: {
      httpRequestWithAuthentication: (_credential, options) => {
        calls.push(options);
        return Promise.resolve(answers[calls.length - 1]);
      },
    },
  };
  return { options: await getTemplates.call(context), calls };
}

async function judge() {
  const { options, calls } = await load([
    {
      statusCode: 200,
      body: { items: [template("saiu", null, ["nome", "1"])], nextCursor: "next" },
    },
    {
      statusCode: 200,
      body: {
        items: [template("aviso", "APPROVED", []), template("pausa", "PAUSED", [])],
        nextCursor: null,
      },
    },
  ]);
  assert.deepEqual(options.map(({ name, value, description }) => [name, value, description]), [
    ["aviso (pt_BR)", "id_aviso", "No variables"],
    ["pausa (pt_BR) [PAUSED]", "id_pausa", "No variables"],
    ["saiu (pt_BR)", "id_saiu", "Variables: nome, 1"],
  ]);
  assert.deepEqual(calls.map(({ url, qs }) => [url, qs.instanceId, qs.cursor]), [
    ["https://api.example/functions/v1/messages-api/templates", "demo", undefined],
    ["https://api.example/functions/v1/messages-api/templates", "demo", "next"],
  ]);
  // The class of n8n's errors is not beside the built package: that it is thrown is what shows here.
  await assert.rejects(() => load([{ statusCode: 403, body: { message: "It needs send." } }]));
  process.stdout.write("fine\n");
}

judge();
