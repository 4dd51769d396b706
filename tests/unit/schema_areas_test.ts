import { findAreaFaults } from "../../supabase/tools/schema_areas.ts";
import { assertEquals } from "../support/assert.ts";

const areas = [
  { migration: "20261121000100_one", files: ["tables/a.sql", "tables/b.sql"] },
  { migration: "20261121000200_two", files: ["functions/c.sql"] },
];
const present = ["functions/c.sql", "tables/a.sql", "tables/b.sql"];

Deno.test("areas that name every file once, in order, have no fault", () => {
  assertEquals(findAreaFaults(areas, present), []);
});

Deno.test("a file in no area is refused", () => {
  assertEquals(findAreaFaults(areas, [...present, "tables/d.sql"]), [
    "tables/d.sql is in no area of areas.json",
  ]);
});

Deno.test("a file in two areas is refused", () => {
  const twice = [...areas, { migration: "20261121000300_three", files: ["tables/a.sql"] }];
  assertEquals(findAreaFaults(twice, present), [
    "tables/a.sql is named twice: in 20261121000100_one and 20261121000300_three",
  ]);
});

Deno.test("a file that does not exist is refused", () => {
  assertEquals(findAreaFaults(areas, present.slice(1)), [
    "functions/c.sql of 20261121000200_two does not exist",
  ]);
});

Deno.test("areas out of order are refused", () => {
  assertEquals(findAreaFaults([...areas].reverse(), present), [
    "20261121000100_one does not come after 20261121000200_two",
  ]);
});
