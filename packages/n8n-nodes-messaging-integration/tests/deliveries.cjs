// Judges the trigger's own functions, built, on Node: `node deliveries.cjs <folder of the built package>`.
const assert = require("node:assert/strict");
const { createHmac } = require("node:crypto");
const { join } = require("node:path");

const trigger = join(process.argv[2], "dist/nodes/MessagingIntegrationTrigger");
const { verifyDelivery } = require(join(trigger, "signature.js"));
const { rememberDelivery } = require(join(trigger, "seen_deliveries.js"));

// The vector of Standard Webhooks' own libraries.
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const body = Buffer.from('{"test": 2432232314}');
const headers = {
  "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
  "webhook-timestamp": "1614265330",
  "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};
const then = 1614265330_000;
const verify = (change = {}, bytes = body, key = secret, at = then) =>
  verifyDelivery({ ...headers, ...change }, bytes, key, at);
assert.deepEqual(verify(), { id: headers["webhook-id"], timestamp: "1614265330" });
assert.notEqual(verify({}, body, secret, then + 299_000), null);

// Rotated: one of several signatures is ours.
const both = `v1,${Buffer.alloc(32).toString("base64")} ${headers["webhook-signature"]} v1a,x`;
assert.notEqual(verify({ "webhook-signature": both }), null);

const refused = [
  verify({}, Buffer.from('{"test":2432232314}')),
  verify({}, body, "whsec_b3RoZXI="),
  verify({}, body, "whsec_"),
  verify({}, body, secret, then + 301_000),
  verify({}, body, secret, then - 301_000),
  verify({ "webhook-id": "msg_other" }),
  verify({ "webhook-id": undefined }),
  verify({ "webhook-id": ["a", "b"] }),
  verify({ "webhook-timestamp": "1614265331" }),
  verify({ "webhook-timestamp": "soon" }),
  verify({ "webhook-signature": "v1," }),
  verify({ "webhook-signature": headers["webhook-signature"].replace("v1,", "v2,") }),
  verify({ "webhook-signature": "v1,g0hM" }),
];
assert.deepEqual(refused, refused.map(() => null));

// An empty key signs nothing, even where somebody signs with it.
const forged = createHmac("sha256", "").update("msg_1.1614265330.").update(body).digest("base64");
assert.equal(
  verify({ "webhook-id": "msg_1", "webhook-signature": `v1,${forged}` }, body, "whsec_"),
  null,
);

const remember = (id, timestamp) => rememberDelivery("endpoint", { id, timestamp });
assert.equal(remember("a", "10"), "new");
assert.equal(remember("b", "10"), "new");
assert.equal(remember("a", "10"), "replayed");
assert.equal(remember("a", "15"), "repeated");
assert.equal(remember("a", "15"), "replayed");
assert.equal(rememberDelivery("other", { id: "a", timestamp: "10" }), "new");
// What is too long ago is forgotten, the oldest first.
for (let index = 0; index < 999; index++) remember(`m${index}`, "20");
assert.equal(remember("b", "10"), "replayed");
assert.equal(remember("m999", "20"), "new");
assert.equal(remember("b", "10"), "new");
process.stdout.write("fine\n");
