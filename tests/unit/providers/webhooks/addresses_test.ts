import {
  chooseAddresses,
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
    ]
  ) {
    assertEquals(normalizeAddress(text), "5511987654321", text);
  }
});

Deno.test("a contact without a visible phone keeps the provider's own address, without the device", () => {
  assertEquals(normalizeAddress("103899771998284:7@lid"), "103899771998284@lid");
  assertEquals(normalizeAddress("BR.13491208655302741918"), "BR.13491208655302741918");
  assertEquals(normalizeAddress("BR.ENT.1349abc"), "BR.ENT.1349abc");
});

Deno.test("channels, stories, WhatsApp itself and values that are not text are no address", () => {
  for (
    const value of [
      ...["status@broadcast", "1203@newsletter", "0@s.whatsapp.net", "", " ", "x".repeat(201)],
      ...[null, undefined, 5511987654321, {}, ["5511987654321"]],
    ]
  ) {
    assertEquals(normalizeAddress(value), undefined);
  }
  assertEquals(chooseAddresses(["status@broadcast", "5511987654321"]), undefined);
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
