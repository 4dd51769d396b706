/** What the fields of an instance's usage mean, by client token and by the secret key. */
export const usageFields = {
  from: "First day, in the instance's time zone.",
  to: "Last day; at most 366 days.",
  groupBy: "By what the messages are summed up. Default: `day`.",
  daily:
    "Whether each day has sums of its own: an item for each day and key, sorted by `day`, then `key`.",
  currency: "Currency of the workspace's rates; null without rates.",
  "items.day": "The day that it sums up; with `daily` alone.",
  "items.key":
    "The day, the month (`2026-11`), the category, the id of the agent and so on; null for messages without one.",
  "items.sent":
    "Messages that were sent, on the day of sending. By category as the template's or `service`; by type and market null, as these are told with the delivery.",
  "items.delivered": "Messages that were delivered, on the day of the first delivery.",
  "items.free": "Those of them that cost nothing.",
  "items.estimatedCost": "Decimal text of what the delivered ones cost by the workspace's rates.",
  "items.unknown":
    "Delivered ones of the official channel that are in no sum: no rate was known, or it was in another currency.",
};
