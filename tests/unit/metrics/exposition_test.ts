import { formatExposition } from "../../../functions/metrics/exposition.ts";
import { assertEquals, assertThrows } from "../../support/assert.ts";
import { parseExposition } from "../../support/exposition.ts";

const families = [
  { name: "a_total", type: "counter", help: "Back\\slash and\nline." },
  { name: "b", type: "gauge", help: "Never seen." },
  { name: "c_seconds", type: "histogram", help: "Seconds." },
] as const;

Deno.test("samples are written under their family, with HELP and TYPE, labels and help escaped", () => {
  const text = formatExposition(families, [
    ["c_seconds_count", {}, 2],
    ["a_total", { x: 'quote " back \\ line \n', y: "1" }, 3],
    ["c_seconds_bucket", { le: "0.5" }, 1],
    ["c_seconds_bucket", { le: "+Inf" }, 2],
    ["a_total", {}, 4],
    ["c_seconds_sum", {}, 1.25],
    ["unknown", {}, 9],
  ]);
  assertEquals(
    text,
    [
      "# HELP a_total Back\\\\slash and\\nline.",
      "# TYPE a_total counter",
      'a_total{x="quote \\" back \\\\ line \\n",y="1"} 3',
      "a_total 4",
      "# HELP c_seconds Seconds.",
      "# TYPE c_seconds histogram",
      'c_seconds_bucket{le="0.5"} 1',
      'c_seconds_bucket{le="+Inf"} 2',
      "c_seconds_sum 1.25",
      "c_seconds_count 2",
      "",
    ].join("\n"),
  );
  assertEquals(
    parseExposition(text).get("a_total")?.samples[0]?.labels["x"],
    'quote " back \\ line \n',
  );
});

Deno.test("the tests' reader refuses an exposition with a fault", () => {
  const family = "# HELP a A.\n# TYPE a gauge\n";
  const histogram = "# HELP h H.\n# TYPE h histogram\n";
  const faulty = [
    "",
    `${family}a 1`,
    "a 1\n",
    "# TYPE a gauge\na 1\n",
    family,
    `${family}a 1\n\n`,
    `${family}a one\n`,
    `${family}a 1 \n`,
    `${family}b 1\n`,
    `${family}a 1\na 2\n`,
    `${family}a{x="1"} 1\na{x="1"} 2\n`,
    `${family}a{x="1",} 1\n`,
    `${family}a{x=1} 1\n`,
    `${family}a{x="1",x="2"} 1\n`,
    `${family}a{x="\\t"} 1\n`,
    `${family}a{1x="1"} 1\n`,
    `${family}a 1\n${family}a 1\n`,
    "# HELP a A.\n# TYPE a counter\na 1\n",
    "# HELP a_total A.\n# TYPE a_total gauge\na_total 1\n",
    "# HELP a_total A.\n# TYPE a_total counter\na_total -1\n",
    "# HELP a A.\n# TYPE a number\na 1\n",
    `${histogram}h_bucket{le="1"} 1\nh_sum 1\nh_count 1\n`,
    `${histogram}h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n`,
    `${histogram}h_bucket{le="+Inf"} 1\nh_sum 1\nh_count 2\n`,
    `${histogram}h_bucket{le="2"} 1\nh_bucket{le="1"} 1\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n`,
    `${histogram}h_bucket{le="+Inf"} 1\nh_count 1\n`,
  ];
  for (const text of faulty) assertThrows(() => parseExposition(text), Error, "", text);
  assertEquals(parseExposition(`${family}a{x="1",y="2"} 1e+21\na 2\n`).get("a")?.samples.length, 2);
});
