/** The documented copy of the folder of files, made while files come and go. */

import { fileURLToPath } from "node:url";
import { createFolderStorage } from "../../shared/media/folder_storage.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { heads, padded } from "../support/fixtures/media_files.ts";
import { readSteps } from "../support/machine/documented_steps.ts";
import { makeTemporaryFolder } from "../support/stack/local_stack.ts";

const page = fileURLToPath(new URL("../../docs/one-machine.md", import.meta.url));
const [stored, copies] = [30, 6];
const photo = padded(heads.jpeg, 200_000);

Deno.test("the documented copy of the files succeeds while others are stored and deleted, and has each that was there before, whole", async () => {
  const step = (await readSteps(page)).find(({ name }) => name === "back up");
  const command = step?.text.match(/^tar [^]*$/m)?.[0] ?? "";
  assert(command.includes("--directory=/var/lib/messaging"), command);
  await using folder = await makeTemporaryFolder();
  const storage = createFolderStorage(`${folder.path}/media`);
  const instance = crypto.randomUUID();
  const put = async (): Promise<string> => {
    const path = `${instance}/${crypto.randomUUID()}`;
    await storage.put(path, new Blob([photo]).stream(), {
      contentType: "image/jpeg",
    });
    return path;
  };
  const before = await Promise.all(Array.from({ length: stored }, put));
  let isOver = false;
  const writing = Array.from({ length: 4 }, async () => {
    while (!isOver) await storage.delete([await put()]);
  });
  try {
    for (let copy = 0; copy < copies; copy++) {
      const { code, stderr } = await new Deno.Command("bash", {
        args: ["-euc", command.replaceAll("/var/lib/messaging", folder.path)],
        cwd: folder.path,
      }).output();
      assertEquals(code, 0, new TextDecoder().decode(stderr));
    }
  } finally {
    isOver = true;
    await Promise.all(writing);
  }
  await Deno.mkdir(`${folder.path}/restored`);
  const { success } = await new Deno.Command("tar", {
    args: ["-xzf", "messaging-media.tar.gz", "--directory=restored"],
    cwd: folder.path,
  }).output();
  assert(success);
  const restored = createFolderStorage(`${folder.path}/restored/media`);
  for (const path of before) {
    const body = await restored.open(path);
    assertEquals((await new Response(body).bytes()).byteLength, photo.byteLength);
  }
});
