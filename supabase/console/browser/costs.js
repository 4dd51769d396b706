import { pollApi, setNote } from "./client.js";
import { build, buildShape, find } from "./dom.js";
import { formatDay, formatMonth } from "./format.js";
import { addAmounts, describeEstimate, formatAmount, nameCategory } from "./prices.js";
import { readSchedule } from "./slots.js";
import { say } from "./words.js";

const shownMonths = 12;
const plotHeight = 64;
const highestColumn = 60;
const pageSize = 1_000;
const colors = { service: 1, marketing: 2, authentication: 3, utility: 5 };
/** Of a category that the channel adds later. */
const otherColor = 4;

/**
 * What the form's instance has spent in a month: a column for each day, with a part for each category.
 *
 * @returns {() => Promise<void>} asks for it now
 */
export function createCosts() {
  const choice = find("costs-month");
  let shown = "";

  async function refresh(api) {
    // Nobody sees it: the other panels ask often enough.
    if (find("panel-costs").hidden) return;
    const schedule = await readSchedule(api);
    const today = readToday(schedule?.timeZone);
    fillMonths(choice, today);
    const month = choice.value;
    const period = { from: `${month}-01`, to: `${month}-${countDays(month)}` };
    const [usage, budget] = await Promise.all([
      readUsage(api, period),
      // A budget is told of the present month alone.
      today.startsWith(month) ? readBudget(api) : null,
    ]);
    const state = JSON.stringify([month, usage, budget]);
    if (state === shown) return;
    shown = state;
    show({ ...usage, budget, month });
  }

  const ask = pollApi(refresh, (sentence) => {
    shown = "";
    find("costs").hidden = true;
    find("costs-count").textContent = "–";
    setNote(find("costs-note"), sentence);
  });
  choice.addEventListener("change", ask);
  find("tab-costs").addEventListener("click", ask);
  return ask;
}

/** @returns {Promise<{currency: string | null, items: object[]}>} each day's sums of each category */
async function readUsage(api, period) {
  const query = { ...period, groupBy: "category", daily: "true", limit: pageSize };
  const { currency, items } = await api.read("messages-api/usage", query);
  return { currency, items };
}

/** @returns {Promise<object | null>} null where the instance has none */
async function readBudget(api) {
  const { budget = null } = await api.read("messages-api/health");
  return budget;
}

function show({ currency, items, budget, month }) {
  const isPriced = items.some(({ estimatedCost }) => Number(estimatedCost) > 0);
  const total = {
    ...{ amount: addAmounts(items.map(({ estimatedCost }) => estimatedCost)), currency },
    unknown: sum(items, "unknown"),
  };
  const sentence = describeMonth({ items, total, isPriced });
  find("costs-count").textContent = describeEstimate({ ...total, unknown: 0 }) || "–";
  setNote(find("costs-note"), sentence);
  const measure = isPriced ? "estimatedCost" : "delivered";
  const days = countDays(month);
  const daily = isPriced && budget !== null ? Number(budget.monthlyAmount) / days : null;
  setNote(find("costs-budget"), describeBudget(budget));
  find("costs-plot").replaceChildren(
    drawMonth({ items, measure, days, daily, sentence }),
    build(
      "p",
      { class: "hours", "aria-hidden": "true" },
      ...[1, 8, 15, 22, days].map((day) => build("span", {}, String(day))),
    ),
  );
  find("costs-legend").replaceChildren(
    ...buildLegend(items, currency),
    ...(daily === null ? [] : [buildBudgetSign()]),
  );
  find("costs-days").replaceChildren(...buildTable(items, currency));
  find("costs").hidden = false;
}

function describeMonth({ items, total, isPriced }) {
  if (items.length === 0) return say("No message in this month.");
  const delivered = say("{count} delivered", { count: sum(items, "delivered") });
  const free = sum(items, "free");
  return [
    delivered,
    free === 0 ? "" : say("{count} of them free", { count: free }),
    describeEstimate(total),
    isPriced ? "" : say("The columns are delivered messages: none has a price."),
  ].filter((part) => part !== "").join(" · ");
}

/** Empty without a budget. */
function describeBudget(budget) {
  if (budget === null) return "";
  const { monthlyAmount, currency, spent, underWay, reached } = budget;
  if (currency === null) return say("The budget counts nothing: the workspace has no rates.");
  const tell = (amount) => formatAmount(amount, currency);
  const amounts = { spent: tell(spent), amount: tell(monthlyAmount), underWay: tell(underWay) };
  return [
    say("Budget: {spent} of {amount} spent, {underWay} under way.", amounts),
    reached ? say("It is reached: what it stops waits.") : "",
  ].filter((part) => part !== "").join(" ");
}

/** @param {number | null} month.daily the budget's part of a day; null for no line */
function drawMonth({ items, measure, days, daily, sentence }) {
  const byDay = Map.groupBy(items, ({ day }) => Number(day.slice(8)));
  const heights = Array.from(byDay.values(), (parts) => sum(parts, measure));
  const highest = Math.max(...heights, daily ?? 0, Number.MIN_VALUE);
  return buildShape(
    "svg",
    {
      role: "img",
      "aria-label": sentence,
      viewBox: `0 0 ${days} ${plotHeight}`,
      preserveAspectRatio: "none",
    },
    ...[...byDay].flatMap(([day, parts]) => {
      let y = plotHeight;
      return parts.map((part) => {
        const height = highestColumn * Number(part[measure]) / highest;
        y -= height;
        return buildShape("rect", {
          class: `slots color-${colorOf(part.key)}`,
          ...{ x: day - 1 + 0.1, y, width: 0.8, height },
        }, buildShape("title", {}, `${formatDay(part.day)}: ${part[measure]}`));
      });
    }),
    ...(daily === null ? [] : [drawBudget(highestColumn * daily / highest, days)]),
  );
}

function drawBudget(height, width) {
  return buildShape("rect", { class: "now", x: 0, y: plotHeight - height, width, height: 0.8 });
}

function buildBudgetSign() {
  return build(
    "li",
    {},
    build("span", { class: "swatch budget", "aria-hidden": "true" }),
    build("span", {}, say("the budget, spread over the days")),
  );
}

/** The sum of each category, in its color. */
function buildLegend(items, currency) {
  return [...Map.groupBy(items, ({ key }) => key)].map(([key, parts]) =>
    build(
      "li",
      {},
      build("span", { class: `swatch color-${colorOf(key)}`, "aria-hidden": "true" }),
      build("span", {}, nameCategory(key)),
      build("span", { class: "count" }, tellSum(parts, currency)),
    )
  );
}

/** The plot in numbers, for those who do not see it. */
function buildTable(items, currency) {
  const head = [say("Day"), say("Category"), say("Delivered"), say("Cost")];
  return [
    build("tr", {}, ...head.map((words) => build("th", { scope: "col" }, words))),
    ...items.map((item) =>
      build(
        "tr",
        {},
        build("th", { scope: "row" }, formatDay(item.day)),
        ...[nameCategory(item.key), String(item.delivered), tellSum([item], currency)]
          .map((words) => build("td", {}, words)),
      )
    ),
  ];
}

/** What the messages of these sums cost; their number where the workspace has no rates. */
function tellSum(items, currency) {
  if (currency === null) return String(sum(items, "delivered"));
  return formatAmount(addAmounts(items.map(({ estimatedCost }) => estimatedCost)), currency);
}

function sum(items, field) {
  return items.reduce((total, item) => total + Number(item[field]), 0);
}

function colorOf(category) {
  return colors[category] ?? (category === null ? 0 : otherColor);
}

/** Today's date by the clock of the zone; of the browser without one. */
function readToday(timeZone) {
  // Swedish dates are written as in ISO 8601.
  return new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeZone }).format(new Date());
}

function countDays(month) {
  const [year, number] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number, 0)).getUTCDate();
}

/** Keeps what is chosen, and an open list where the months are the same. */
function fillMonths(choice, today) {
  const [year, number] = today.split("-").map(Number);
  const months = Array.from(
    { length: shownMonths },
    (_, back) => new Date(Date.UTC(year, number - 1 - back, 1)).toISOString().slice(0, 7),
  );
  if (choice.options[0]?.value === months[0]) return;
  const chosen = choice.value;
  choice.replaceChildren(
    ...months.map((month) => build("option", { value: month }, formatMonth(month))),
  );
  choice.value = months.includes(chosen) ? chosen : months[0];
}
