import { parseWahaId, readWahaId } from "../../../../shared/providers/waha/message_id.ts";
import { assertEquals } from "../../../support/assert.ts";

const bare = "4CC5EDD64BC22EBA6D639F2AF571346C";

Deno.test("WAHA: every form of a message's id has the same bare id", () => {
  const forms = [
    bare,
    `true_11111111111@c.us_${bare}`,
    `false_11111111111@c.us_${bare}`,
    `true_81896604192873@lid_${bare}`,
    `true_11111111111@g.us_${bare}_9999@lid`,
    `false_status@broadcast_${bare}_9999@c.us`,
  ];
  for (const id of forms) assertEquals(parseWahaId(id).bare, bare, id);
  for (
    const json of [{ key: { id: bare } }, { id: { id: bare } }, { id: { _serialized: forms[1] } }]
  ) {
    assertEquals(readWahaId(json)?.bare, bare);
  }
});

Deno.test("WAHA: a full id names its chat and its side, another text is a bare id", () => {
  assertEquals(parseWahaId(`true_11111111111@c.us_${bare}`), {
    bare,
    chat: "11111111111@c.us",
    fromMe: true,
  });
  for (const id of ["A_B", "true_A", "maybe_1@c.us_A", "vote:1"]) {
    assertEquals(parseWahaId(id), { bare: id, chat: undefined, fromMe: undefined });
  }
  for (const json of [undefined, null, {}, { id: 7 }, { id: {} }]) {
    assertEquals(readWahaId(json), undefined);
  }
});
