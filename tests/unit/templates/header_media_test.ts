import { readHeaderMedia } from "../../../shared/templates/header_media.ts";
import { assertEquals } from "../../support/assert.ts";

const link = "https://files.example.com/a";

function outcomeOf(value: unknown, format: "IMAGE" | "VIDEO" | "DOCUMENT"): string {
  const reading = readHeaderMedia(value, format);
  return reading.outcome === "refused"
    ? reading.issues.map(({ path }) => path).join()
    : reading.outcome;
}

Deno.test("a media header takes a URL, an id, or both", () => {
  assertEquals(readHeaderMedia(`${link}.png`, "IMAGE"), {
    outcome: "read",
    media: { link: `${link}.png` },
  });
  assertEquals(readHeaderMedia({ link }, "DOCUMENT"), { outcome: "read", media: { link } });
  assertEquals(readHeaderMedia({ id: 42, link: null }, "VIDEO"), {
    outcome: "read",
    media: { id: "42", link: undefined },
  });
  assertEquals(readHeaderMedia({ id: "42", link }, "VIDEO"), {
    outcome: "read",
    media: { id: "42", link },
  });
});

Deno.test("nothing to send is missing, not wrong", () => {
  for (const value of [undefined, null, "", " ", {}, { id: "", link: null }]) {
    assertEquals(outcomeOf(value, "IMAGE"), "missing", JSON.stringify(value));
  }
});

Deno.test("a URL must fit the header's format", () => {
  const fitting = { IMAGE: ["jpg", "jpeg", "png"], VIDEO: ["mp4"], DOCUMENT: ["pdf"] } as const;
  for (const format of ["IMAGE", "VIDEO", "DOCUMENT"] as const) {
    assertEquals(outcomeOf(link, format), "read");
    for (const extension of ["jpg", "jpeg", "png", "mp3", "wav", "mp4", "pdf", "exe"]) {
      const isFitting = fitting[format].some((known) => known === extension);
      assertEquals(
        outcomeOf(`${link}.${extension}`, format),
        isFitting ? "read" : "variables.header",
        `${format} ${extension}`,
      );
    }
  }
});

Deno.test("a URL that is not a public https file and an invalid id are refused under their own paths", () => {
  const cases = [
    ["http://files.example.com/a.png", "variables.header"],
    ["https://127.0.0.1/a.png", "variables.header"],
    ["123456", "variables.header"],
    [{ link: "https://localhost/a.png" }, "variables.header.link"],
    [{ id: "4 2" }, "variables.header.id"],
    [{ id: "42", link: "ftp://a.example/a.png" }, "variables.header.link"],
    [42, "variables.header"],
    [[link], "variables.header"],
    [true, "variables.header"],
    [{ id: { toString: null } }, "variables.header.id"],
    [{ id: ["42"] }, "variables.header.id"],
    [{ link: { toString: null } }, "variables.header.link"],
    [{ link: [`${link}.png`] }, "variables.header.link"],
  ] as const;
  for (const [value, path] of cases) {
    assertEquals(outcomeOf(value, "IMAGE"), path, JSON.stringify(value));
  }
});
