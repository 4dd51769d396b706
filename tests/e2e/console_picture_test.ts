import { pictureSize, takeConsolePicture } from "../pictures/take_console_picture.ts";
import { assertEquals } from "../support/assert.ts";
import { findBrowser } from "../support/browser/browser.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { makeTemporaryFolder } from "../support/stack/local_stack.ts";

const browserPath = await findBrowser();
const missing = browserPath === null ? " (skipped: no Chromium is installed)" : "";

Deno.test({
  name: `the pictures of the console, its costs and a question can be taken again${missing}`,
  ignore: browserPath === null,
  async fn(): Promise<void> {
    await using database = await createTestDatabase();
    await using folder = await makeTemporaryFolder();
    const path = `${folder.path}/console.png`;
    const costsPath = `${folder.path}/costs.png`;
    const questionPath = `${folder.path}/question.png`;
    await takeConsolePicture({
      browserPath: browserPath ?? "",
      ...{ path, costsPath, questionPath },
      databaseUrl: database.url,
    });
    const taken = await readPngSize(path);
    assertEquals(taken, pictureSize);
    assertEquals(await readPngSize("docs/images/console.png"), pictureSize);
    for (const [taken, kept] of [[costsPath, "costs"], [questionPath, "question"]]) {
      assertEquals(
        (await readPngSize(taken ?? "")).width,
        (await readPngSize(`docs/images/${kept}.png`)).width,
        kept,
      );
    }
  },
});

/** Width and height of a PNG: the first two numbers of its header, behind signature and length. */
async function readPngSize(path: string): Promise<{ width: number; height: number }> {
  const { buffer } = await Deno.readFile(path);
  const header = new DataView(buffer, 16);
  return { width: header.getUint32(0), height: header.getUint32(4) };
}
