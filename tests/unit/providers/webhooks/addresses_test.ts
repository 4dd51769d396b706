import {
  chooseAddresses,
  chooseChat,
  isGroupAddress,
  normalizeAddress,
  readGroupAddress,
} from "../../../../shared/providers/webhooks/addresses.ts";
import { assertEquals } from "../../../support/assert.ts";

Deno.test("a phone is its digits, in any notation and from any device", () => {
  for (
    const text of [
      ...["5511987654321", "+55 (11) 98765-4321", " 5511987654321 "],
      ...["5511987654321@s.whatsapp.net", "5511987654321@c.us"],
      ...["5511987654321:12@s.whatsapp.net", "5511987654321_1:12@s.whatsapp.net"],
      ...[
        "5511987654321.0:12@s.whatsapp.net",
        "+5511987654321@c.us",
        "5511987654321@S.WhatsApp.net",
      ],
      ...["5511987654321@hosted", "5511987654321:99@hosted", "5511987654321_128:99@HOSTED"],
    ]
  ) {
    assertEquals(normalizeAddress(text), "5511987654321", text);
  }
});

Deno.test("a contact without a visible phone keeps the provider's own address, without the device", () => {
  for (
    const device of ["@lid", ":7@lid", "_1:7@lid", ".1:7@LID", "@hosted.lid", ":99@hosted.lid"]
  ) {
    assertEquals(normalizeAddress(`103899771998284${device}`), "103899771998284@lid", device);
  }
  assertEquals(normalizeAddress("BR.13491208655302741918"), "BR.13491208655302741918");
  assertEquals(normalizeAddress("BR.ENT.1349abc"), "BR.ENT.1349abc");
});

Deno.test("channels, stories, bots, WhatsApp itself, what names nobody and values that are not text are no address", () => {
  for (
    const value of [
      ...["867051314767696@bot", "13135550002@s.whatsapp.net", "13135550002@c.us", "13135550002"],
      ...["13165550012@s.whatsapp.net", "16505361212@c.us", "13135550002:0@hosted", "A1@call"],
      ...[
        "null",
        "undefined",
        "NaN",
        "[object Object]",
        "@",
        "@c.us",
        "@lid",
        "@hosted",
        "server@c.us",
      ],
      ...["null", "undefined", "NaN", "", "abc", "a1b2", "0", "000000000"].flatMap((user) =>
        ["s.whatsapp.net", "c.us", "hosted", "lid", "hosted.lid"].map((server) =>
          `${user}@${server}`
        )
      ),
      ...["status@broadcast", "1203@newsletter", "0@s.whatsapp.net", "", " ", "x".repeat(201)],
      ...[null, undefined, 5511987654321, {}, ["5511987654321"]],
    ]
  ) {
    assertEquals(normalizeAddress(value), undefined);
  }
  for (const nobody of ["status@broadcast", "867051314767696@bot", "13135550002@c.us"]) {
    assertEquals(chooseAddresses([nobody, "5511987654321"]), undefined, nobody);
  }
  assertEquals(chooseAddresses(["null@c.us", "1@lid"]), { address: "1@lid", otherAddresses: [] });
});

Deno.test("the phone's own addresses are not the chat's, and a note to self has none", () => {
  const own = ["5511987654321@s.whatsapp.net", "9@lid", undefined];
  const person = { address: "5521912345678", otherAddresses: ["1@lid"] };
  assertEquals(chooseChat(["5521912345678@hosted", "1@lid"], own), person);
  assertEquals(chooseChat(["1@lid", "551187654321"], own), {
    address: "1@lid",
    otherAddresses: [],
  });
  for (const self of ["551187654321@c.us", "5511987654321:12@hosted", "9:3@hosted.lid"]) {
    assertEquals(chooseChat([self, "1@lid"], own), undefined, self);
  }
  assertEquals(chooseChat([undefined, "1@lid"], own), { address: "1@lid", otherAddresses: [] });
});

Deno.test("a phone precedes other addresses, and no address is listed twice", () => {
  const addresses = { address: "5511987654321", otherAddresses: ["1@lid", "551187654321"] };
  assertEquals(
    chooseAddresses(["1@lid", "5511987654321:2@c.us", null, "5511987654321", "551187654321"]),
    { ...addresses, otherAddresses: ["551187654321", "1@lid"] },
  );
  assertEquals(chooseAddresses(["1@lid"]), { address: "1@lid", otherAddresses: [] });
  assertEquals(chooseAddresses([null, ""]), undefined);
});

Deno.test("a group keeps its address unchanged, even if it looks like a phone", () => {
  for (
    const id of ["120363019502650977@g.us", "120363019502650977-group", "5511987654321-1623878321"]
  ) {
    assertEquals(readGroupAddress(id), { address: id, otherAddresses: [] });
  }
  assertEquals(isGroupAddress("120363019502650977@g.us"), true);
  assertEquals(isGroupAddress("120363019502650977-group"), true);
  assertEquals(isGroupAddress("5511987654321@s.whatsapp.net"), false);
  assertEquals(isGroupAddress(null), false);
  assertEquals(readGroupAddress("status@broadcast"), undefined);
});
