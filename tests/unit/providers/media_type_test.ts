import { readExtension, readFilename, readMimetype } from "../../../shared/providers/media_type.ts";
import { assertEquals } from "../../support/assert.ts";

Deno.test("the extension is the URL's, else the file name's", () => {
  const cases: [string, string | undefined, string | undefined][] = [
    ["https://f.example.com/a.PNG", undefined, "png"],
    ["https://f.example.com/a.pdf?x=b.mp3#c.wav", "d.mp4", "pdf"],
    ["https://f.example.com/files%2Fa.mp3", undefined, "mp3"],
    ["https://f.example.com/get", "Contrato final.DOCX", "docx"],
    ["https://f.example.com/get", "no extension", undefined],
    ["https://f.example.com/get", ".hidden", undefined],
    ["https://f.example.com/", undefined, undefined],
  ];
  for (const [url, filename, expected] of cases) {
    assertEquals(readExtension(url, filename), expected, url);
  }
});

Deno.test("the file name is the one given, else the last segment of a URL with an extension", () => {
  assertEquals(readFilename("https://f.example.com/a.pdf", "b"), "b");
  assertEquals(readFilename("https://f.example.com/x/a%20b.pdf?y", ""), "a b.pdf");
  assertEquals(readFilename("https://f.example.com/o/files%2Fa.pdf"), "a.pdf");
  assertEquals(readFilename("https://f.example.com/100%.pdf"), "100%.pdf");
  assertEquals(readFilename("https://f.example.com/get"), undefined);
});

Deno.test("every extension of the specification has its MIME type, no other has one", () => {
  for (const extension of ["jpg", "jpeg", "png", "mp3", "wav", "mp4", "pdf"]) {
    assertEquals(
      /^(image|audio|video|application)\/[a-z0-9]+$/.test(readMimetype(extension) ?? ""),
      true,
    );
  }
  assertEquals(readMimetype("docx"), undefined);
  assertEquals(readMimetype(undefined), undefined);
});
