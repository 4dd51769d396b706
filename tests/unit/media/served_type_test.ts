import { assertEquals } from "../../support/assert.ts";
import { dispositionOf, downloadNameOf, servedType } from "../../../shared/media/served_type.ts";

const mediaId = "6f0a0e5e-7a3f-4d7b-9f57-0f7a3c2d1b10";

Deno.test("a received file's name leads out of no folder, ends no header and hides no extension", () => {
  const names: readonly (readonly [given: string, saved: string])[] = [
    ["../../.ssh/authorized_keys", "authorized_keys"],
    ["C:\\Windows\\system.ini", "system.ini"],
    ['a"; filename="b.exe', 'a"; filename="b.exe'],
    ["a\r\nSet-Cookie: x=1", "aSet-Cookie: x=1"],
    ["invoice\u202efdp.exe", "invoicefdp.exe"],
    ["\u2066a\u2069.csv", "a.csv"],
    ["..", `${mediaId}.csv`],
    [" ", `${mediaId}.csv`],
  ];
  for (const [fileName, saved] of names) {
    const file = { mediaId, fileName, mimeType: "text/csv" };
    assertEquals(downloadNameOf(file), saved);
    const [, plain = "", encoded = ""] =
      /^attachment; filename="([^"\\\r\n]*)"; filename\*=UTF-8''([\w%.~!$&+^`|#-]*)$/
        .exec(dispositionOf(file)) ?? [];
    assertEquals(decodeURIComponent(encoded), saved);
    assertEquals(plain, saved.replaceAll('"', "_"));
  }
});

Deno.test("a file of an unknown type is saved, never shown", () => {
  const file = { mediaId, fileName: "foto.jpg", mimeType: "application/octet-stream" };
  assertEquals(servedType(file.mimeType), "application/octet-stream");
  assertEquals(dispositionOf(file).split(";")[0], "attachment");
  assertEquals(downloadNameOf(file), "foto.jpg");
});
