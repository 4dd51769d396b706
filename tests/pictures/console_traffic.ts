/** A morning at a shop, played to the demo instance of a running stack, so that its console shows it. */

import type { LocalStack, StackInstance } from "../support/stack/local_stack.ts";
import { waitUntil } from "../support/wait_until.ts";

/** The customer whose phone the picture shows. */
export const customer = {
  phone: "5511944443333",
  shownPhone: "94444-3333",
  name: "Marina Alves",
  lastWords: "18:00 às 20:00, por favor",
};

/** An operator of the demo workspace. */
const operatorEmail = "ana@example.com";

/** Plays the traffic, and resolves once all of it has arrived. */
export async function playTraffic(stack: LocalStack): Promise<void> {
  const demo = await readDemo(stack);
  const call = async (path: string, body: Readonly<Record<string, unknown>>): Promise<void> => {
    const answer = await stack.call(demo, path, { instanceId: "demo", ...body });
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  };
  const reply = async (waId: string, customerName: string, text: string): Promise<void> => {
    await write(stack, { waId, customerName, content: { messageType: "text", text } });
  };
  await sendToOthers(call, reply);
  await holdConversation(stack, call, reply);
  await queueMessages(call);
}

type Call = (path: string, body: Readonly<Record<string, unknown>>) => Promise<void>;
type Reply = (waId: string, customerName: string, text: string) => Promise<void>;

/** The demo instance of a running stack, with its token. */
export async function readDemo(stack: LocalStack): Promise<StackInstance> {
  const { instanceId, clientToken } = await (await fetch(`${stack.origin}/simulator/demo`)).json();
  return { instanceId, token: clientToken };
}

async function sendToOthers(call: Call, reply: Reply): Promise<void> {
  await call("send-message", {
    phone: "5521977776666",
    messageType: "text",
    message: "Olá, Bruno! Seu pedido 1041 saiu para entrega.",
    sentBy: "automation",
  });
  await reply("5521977776666", "Bruno Lima", "Obrigado!");
  await call("send-message", {
    phone: "5531988885555",
    messageType: "document",
    mediaUrl: "https://files.example.com/invoice-1039.pdf",
    mediaFilename: "invoice-1039.pdf",
    message: "Sua nota fiscal do pedido 1039.",
    sentBy: "automation",
  });
}

async function holdConversation(stack: LocalStack, call: Call, reply: Reply): Promise<void> {
  const { phone, name } = customer;
  await call("contacts-api/create", { phone, name, tags: ["vip"] });
  await call("process-ai-agent", {
    phone,
    messageText: "Oi, {{nome}}! Aqui é a Lia, da loja. Seu pedido 1042 está pronto. Posso ajudar?",
    initiateConversation: true,
  });
  await reply(phone, name, "Oi, Lia! Dá para entregar hoje?");
  await arrive(stack, 2);
  await call("send-message", {
    phone,
    messageType: "option_list",
    message: "Aqui é a Ana. Hoje ainda temos dois horários:",
    optionList: {
      title: "Entrega do pedido 1042",
      buttonLabel: "Ver horários",
      options: [{ title: "14:00 às 16:00" }, { title: "18:00 às 20:00" }],
    },
    assignTo: operatorEmail,
    sentBy: "operator",
  });
  await reply(phone, name, customer.lastWords);
  await waitUntil(async () => (await stack.readSimulator("emails")).length === 1, {
    what: "the operator's e-mail",
  });
}

async function arrive(stack: LocalStack, count: number): Promise<void> {
  await waitUntil(
    async () => (await stack.readSimulator(`messages?to=${customer.phone}`)).length === count,
    { what: "the agent's answer" },
  );
}

async function queueMessages(call: Call): Promise<void> {
  for (const phone of [customer.phone, "5521977776666", "5531988885555", "5541966664444"]) {
    await call("send-message", {
      phone,
      messageType: "text",
      message: "Sábado abrimos às 9h. Até lá!",
      queued: true,
      intervalSeconds: 60,
      sentBy: "ai_agent",
    });
  }
}

async function write(stack: LocalStack, body: Readonly<Record<string, unknown>>): Promise<void> {
  const response = await fetch(`${stack.origin}/simulator/replies`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ provider: "zapi", instance: "DEMO", ...body }),
  });
  await response.body?.cancel();
  if (response.status !== 201) throw new Error(`a reply: ${response.status}`);
}
