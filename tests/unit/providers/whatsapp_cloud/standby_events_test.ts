import { assertEquals } from "../../../support/assert.ts";
import { cloudChange, readEvents } from "../event_payloads.ts";

type Json = Record<string, unknown>;

function read(standby: Json): Json[] {
  return readEvents("whatsapp_cloud", cloudChange({ standby }, "standby"));
}

function echo(message: Json, beside: Json = {}): Json | undefined {
  return read({
    message_echoes: [{ id: "wamid.E", timestamp: "1749416383", message, ...beside }],
  })[0];
}

Deno.test("a standby message has its sender's name and ids", () => {
  const contacts = [{ profile: { name: "Ana" }, wa_id: "5511987654321", user_id: "BR.1a" }];
  const message = { from: "5511987654321", id: "wamid.A", timestamp: "1749416383", type: "text" };
  const [event] = read({ contacts, messages: [{ ...message, text: { body: "oi" } }] });
  assertEquals(
    [event?.["message"], event?.["contactName"], event?.["otherAddresses"], event?.["isStandby"]],
    ["oi", "Ana", ["BR.1a"], true],
  );
});

Deno.test("an echo in standby is read from the request that was posted, to a phone or a user id", () => {
  const text = { type: "text", text: { body: "Olá", preview_url: true } };
  const sent = echo({ to: "+55 11 98765-4321", ...text });
  assertEquals(
    [sent?.["origin"], sent?.["address"], sent?.["message"], sent?.["isOfOtherApp"]],
    ["echo", "5511987654321", "Olá", true],
  );
  assertEquals(echo({ recipient: "BR.1a", ...text })?.["address"], "BR.1a");
  assertEquals(echo({ to: "5511987654321", text: { body: "Olá" } })?.["message"], "Olá");
  assertEquals(echo(text), undefined);
  const picture = echo({
    to: "5511987654321",
    type: "image",
    image: { link: "https://a.example/b.jpg", caption: "Veja" },
  });
  assertEquals(
    [picture?.["messageType"], picture?.["message"], picture?.["mediaUrl"]],
    ["image", "Veja", "https://a.example/b.jpg"],
  );
});

Deno.test("buttons, lists and templates of another responder read as the person reads them", () => {
  const to = "5511987654321";
  const body = { text: "Qual dia?" };
  const buttons = [{ type: "reply", reply: { id: "a", title: "Segunda" } }];
  assertEquals(
    echo({ to, type: "interactive", interactive: { type: "button", body, action: { buttons } } })
      ?.["message"],
    "[menu] Qual dia?, Segunda",
  );
  const sections = [{ rows: [{ id: "a", title: "Terça", description: "à tarde" }] }];
  const action = { button: "Dias", sections };
  assertEquals(
    echo({ to, type: "interactive", interactive: { type: "list", body, action } })?.["menu"],
    {
      body: "Qual dia?",
      items: [{ kind: "row", title: "Terça", id: "a", description: "à tarde" }],
    },
  );
  const parameters = [{ type: "text", text: "Ana" }, {
    type: "text",
    parameter_name: "dia",
    text: "terça",
  }];
  const template = {
    name: "lembrete",
    language: { code: "pt_BR" },
    components: [{ type: "body", parameters }],
  };
  const components = [
    { type: "BODY", text: "Oi {{1}}, {{dia}}?" },
    { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "Sim" }] },
  ];
  const definition = { name: "lembrete", language: "pt_BR", components };
  const request = { to, type: "template", template };
  assertEquals(echo(request, { template: definition })?.["message"], "[menu] Oi Ana, terça?, Sim");
  assertEquals(echo(request)?.["message"], "[template] lembrete");
});

Deno.test("an empty standby tells nothing", () => {
  assertEquals(read({}), []);
  assertEquals(readEvents("whatsapp_cloud", cloudChange({}, "standby")), []);
});
