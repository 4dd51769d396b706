/**
 * A double of the official channel: answers each message after DELAY_MS, on PORT, and tells by GET /calls how
 * many came in the busiest second, and when those of each number came (GET /arrivals?number=). Each number has the
 * throughput HIGH.
 */

const [port, delayMs] = [Deno.env.get("PORT"), Deno.env.get("DELAY_MS") ?? "0"].map(Number);
const arrivals: number[] = [];
const arrivalsOf = new Map<string, number[]>();

await Deno.serve(
  { hostname: "127.0.0.1", port: port ?? 0, onListen: () => {} },
  async (request) => {
    const arrivedAtMs = performance.now();
    const { pathname, searchParams } = new URL(request.url);
    if (searchParams.has("fields")) {
      const number = { status: "CONNECTED", throughput: { level: "HIGH" }, is_on_biz_app: false };
      return Response.json({ id: pathname.split("/").at(-1), ...number });
    }
    if (pathname === "/arrivals") {
      return Response.json(arrivalsOf.get(searchParams.get("number") ?? "") ?? []);
    }
    if (request.method === "GET") {
      return Response.json({ total: arrivals.length, most: countBusiestSecond() });
    }
    arrivals.push(arrivedAtMs);
    const number = pathname.split("/").at(-2) ?? "";
    const ofNumber = arrivalsOf.get(number) ?? [];
    arrivalsOf.set(number, ofNumber);
    ofNumber.push(arrivedAtMs);
    const { to } = await request.json();
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    return Response.json({
      messaging_product: "whatsapp",
      contacts: [{ input: to, wa_id: to }],
      messages: [{ id: `wamid.${crypto.randomUUID()}` }],
    });
  },
).finished;

function countBusiestSecond(): number {
  let most = 0;
  let first = 0;
  for (const [place, at] of arrivals.entries()) {
    while ((arrivals[first] ?? at) <= at - 1_000) first += 1;
    most = Math.max(most, place - first + 1);
  }
  return most;
}
