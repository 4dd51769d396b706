import {
  choiceForm,
  fitOfferedChoices,
  readOfferedForm,
} from "../../../shared/agents/offered_choices.ts";
import { toLeavingContent } from "../../../shared/model/numbered_text.ts";
import { createWhatsappCloudProvider } from "../../../shared/providers/whatsapp_cloud/provider.ts";
import { assert, assertEquals } from "../../support/assert.ts";

const buttons = [{ id: "s", title: "Sim" }, { id: "n", title: "Não" }];
const question = { messageType: "buttons", message: "Certo?", buttons } as const;

Deno.test("an answer in the form offers its choices, also within a block of code and without ids", () => {
  const form = JSON.stringify({ message: "Certo?", buttons });
  for (
    const answer of [form, ` ${form}\n`, `\`\`\`json\n${form}\n\`\`\``, `\`\`\`\n${form}\n\`\`\``]
  ) {
    assertEquals<unknown>(readOfferedForm(answer)?.content, {
      ...question,
      ...{ header: undefined, footer: undefined, mediaUrl: undefined, rendering: undefined },
    });
  }
  const optionList = { title: "Planos", buttonLabel: "Ver", options: [{ title: "Ouro" }] };
  const list = readOfferedForm(JSON.stringify({ message: "Qual?", optionList }))?.content;
  assert(list?.messageType === "option_list");
  assertEquals(list.optionList.options, [{ id: "1", title: "Ouro" }]);
});

Deno.test("whatever is not the form stays the text that it is", () => {
  const others = [
    "Certo?",
    "{",
    "{}",
    "[]",
    '{"message": "Certo?"}',
    '{"buttons": [{"title": "Sim"}]}',
    '{"message": "Certo?", "buttons": []}',
    '{"message": "Certo?", "buttons": [{"title": "A"}], "optionList": {}}',
    '{"message": "Certo?", "buttons": [{"id": "a", "title": "A"}, {"id": "a", "title": "B"}]}',
    '{"message": "Certo?", "buttons": [{"title": "A"}], "phone": "5511987654321"}',
    '{"message": "Certo?", "buttons": [{"title": "A"}]} e mais',
    'Veja: {"message": "Certo?", "buttons": [{"title": "A"}]}',
  ];
  for (const answer of others) assertEquals(readOfferedForm(answer), null, answer);
});

Deno.test("the words of a long question are cut at a sentence, so that the channel takes them with the options", () => {
  const official = createWhatsappCloudProvider({
    ...{ phoneNumberId: "1", accessToken: "token", appSecret: "secret", verifyToken: "verify" },
  }, crypto.randomUUID());
  const channel = {
    ...{
      provider: "whatsapp_cloud",
      gatewayInstanceId: "1",
      interactiveRendering: "auto",
    } as const,
  };
  for (const words of ["Uma frase. ".repeat(500), "Uma frase. ".repeat(372)]) {
    const offered = readOfferedForm(JSON.stringify({ message: words, buttons }))?.content;
    assert(offered?.messageType === "buttons");
    assertEquals(offered.message.length <= 4_096, true);
    const { content, choices } = fitOfferedChoices(channel, official, offered);
    const leaving = toLeavingContent(content);
    assert(leaving.messageType === "text");
    assertEquals(official.checkContent(leaving), []);
    assert(leaving.message.endsWith("Uma frase.\n\n1. Sim\n2. Não"), leaving.message.slice(-40));
    assertEquals(choices?.map(({ id }) => id), ["s", "n"]);
  }
});

Deno.test("the form keeps no character that the database cannot store", () => {
  const answer = String
    .raw`{"message": "Cer\u0000to?", "buttons": [{"id": "s\ud83d", "title": "S\u0000im"}]}`;
  const offered = readOfferedForm(answer)?.content;
  assert(offered?.messageType === "buttons");
  assertEquals(offered.message, "Certo?");
  assertEquals(offered.buttons, [{ id: "s\ufffd", title: "Sim" }]);
});

Deno.test("words that ask are in the form, and take no address to be told at", () => {
  const read = (ask: unknown) => readOfferedForm(JSON.stringify({ message: "Que dia?", ask }));
  const { content, ask } = read({
    ...{ accept: "date", answerWithin: "PT1H", remindAfter: "PT30M", key: "dia" },
    ...{ notifyUrl: "https://hooks.example.com/", onInvalid: "Não entendi." },
  }) ?? {};
  assertEquals([content?.messageType, ask?.questionId.length], ["text", 36]);
  assertEquals<unknown>({ ...ask, questionId: "" }, {
    ...{ questionId: "", accept: "date", choices: undefined, key: "dia", onInvalid: undefined },
    ...{ answerWithinSeconds: 3_600, remindAfterSeconds: 1_800, reminder: "Que dia?" },
    sealedNotify: undefined,
  });
  assertEquals([read({ accept: "hologram" })?.ask, read(null)?.ask], [undefined, undefined]);
});

Deno.test("the form that the prompt documents names its members", () => {
  for (const name of ["buttons", "optionList", "message", "ask"]) assert(choiceForm.includes(name));
});
