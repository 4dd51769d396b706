import { assertEquals } from "../../support/assert.ts";
import { distribute } from "../../support/runner/shared_isolates.ts";

Deno.test("each test file is in one isolate, and no isolate is empty", () => {
  const files = Array.from({ length: 10 }, (_, index) => `${index}_test.ts`);
  for (const isolates of [1, 3, 4, 10, 20]) {
    const shares = distribute(files, isolates);
    assertEquals(shares.length, Math.min(isolates, files.length));
    assertEquals(shares.flat().toSorted(), files);
    assertEquals(shares.filter((share) => share.length === 0), []);
  }
});
