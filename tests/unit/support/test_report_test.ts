import { assertEquals } from "../../support/assert.ts";
import {
  describeFailures,
  describeSlowest,
  readTestResults,
} from "../../support/runner/test_report.ts";

const results = readTestResults(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="deno test" tests="3" failures="1" errors="0" time="3.7">
  <testsuite name="./tests/unit/a_test.ts" tests="3">
    <testcase name="quick" classname="./tests/unit/a_test.ts" time="0.001" line="5" col="6">
    </testcase>
    <testcase name="a &lt;b&gt; &amp;amp; &quot;c&quot;" classname="./tests/unit/a_test.ts" time="2.250" line="6" col="6">
      <failure message="Uncaught Error: 1 &gt; 0">Error: 1 &gt; 0
    at line 2
    at line 3</failure>
    </testcase>
    <testcase name="middling" classname="./tests/unit/a_test.ts" time="1.000" line="7" col="6"/>
  </testsuite>
</testsuites>`);

Deno.test("the slowest tests are listed first, with deno test's durations", () => {
  assertEquals(describeSlowest(results, 2), [
    '   2.3 s  tests/unit/a_test.ts  a <b> &amp; "c"',
    "   1.0 s  tests/unit/a_test.ts  middling",
  ]);
  assertEquals(readTestResults(""), []);
});

Deno.test("a failed test is listed with the first lines of what it said", () => {
  assertEquals(describeFailures(results, 2), [
    'tests/unit/a_test.ts  a <b> &amp; "c"',
    "    Error: 1 > 0",
    "        at line 2",
  ]);
});
