/** An order from the catalog, in Meta's spelling, which Evolution's business channel passes on. */
import type { ReceivedPart } from "../../model/received_parts.ts";
import { readMessage } from "./fields.ts";
import { defined, readAmount, readAnyId, readCount, readCurrency, readObjects } from "./values.ts";

const MAX_ITEMS = 100;

/** Its prices are in the currency's unit. */
export function readCatalogOrder(order: unknown): ReceivedPart<"order"> {
  return {
    ...defined({
      catalogId: readAnyId(order, "catalog_id"),
      note: readMessage(order, "text"),
    }),
    items: readObjects(order, "product_items").slice(0, MAX_ITEMS).map((item) => ({
      ...defined({
        productId: readAnyId(item, "product_retailer_id"),
        quantity: readCount(item, "quantity"),
        price: readAmount(1, item, "item_price"),
        currency: readCurrency(item, "currency"),
      }),
    })),
  };
}
