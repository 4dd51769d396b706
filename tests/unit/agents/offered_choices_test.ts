import { choiceForm, readOfferedChoices } from "../../../shared/agents/offered_choices.ts";
import { assert, assertEquals } from "../../support/assert.ts";

const buttons = [{ id: "s", title: "Sim" }, { id: "n", title: "Não" }];
const question = { messageType: "buttons", message: "Certo?", buttons } as const;

Deno.test("an answer in the form offers its choices, also within a block of code and without ids", () => {
  const form = JSON.stringify({ message: "Certo?", buttons });
  for (
    const answer of [form, ` ${form}\n`, `\`\`\`json\n${form}\n\`\`\``, `\`\`\`\n${form}\n\`\`\``]
  ) {
    assertEquals<unknown>(readOfferedChoices(answer), {
      ...question,
      ...{ header: undefined, footer: undefined, mediaUrl: undefined, rendering: undefined },
    });
  }
  const optionList = { title: "Planos", buttonLabel: "Ver", options: [{ title: "Ouro" }] };
  const list = readOfferedChoices(JSON.stringify({ message: "Qual?", optionList }));
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
  for (const answer of others) assertEquals(readOfferedChoices(answer), null, answer);
});

Deno.test("the form that the prompt documents names both kinds", () => {
  for (const name of ["buttons", "optionList", "message"]) assert(choiceForm.includes(name));
});
