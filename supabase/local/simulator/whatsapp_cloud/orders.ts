/** Orders of Brazil (pages Orders, Offsite Pix, Payment links, Boleto): their messages, and their states. */
import * as z from "zod";
import { fillContent, type SimulatedContent } from "../records.ts";
import { describeFault, type GraphError } from "./errors.ts";

const bodySchema = z.strictObject({ text: z.string().min(1).max(1024) });
const footerSchema = z.strictObject({ text: z.string().min(1).max(60) }).optional();
const referenceSchema = z.string().regex(/^[A-Za-z0-9_.-]{1,60}$/);
const amountSchema = z.strictObject({
  value: z.int().min(0),
  offset: z.literal(100),
  description: z.string().max(60).optional(),
  discount_program_name: z.string().max(60).optional(),
});

const linkSetting = z.strictObject({
  type: z.literal("payment_link"),
  payment_link: z.strictObject({ uri: z.url() }),
});
const boletoSetting = z.strictObject({
  type: z.literal("boleto"),
  boleto: z.strictObject({ digitable_line: z.string().regex(/^\d{47,48}$/) }),
});

const settingSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("pix_dynamic_code"),
    pix_dynamic_code: z.strictObject({
      code: z.string().min(1),
      merchant_name: z.string().min(1),
      key: z.string().min(1),
      key_type: z.enum(["CPF", "CNPJ", "EMAIL", "PHONE", "EVP"]),
    }),
  }),
  linkSetting,
  boletoSetting,
]);

const orderSchema = z.strictObject({
  status: z.literal("pending"),
  expiration: z.strictObject({
    timestamp: z.string().regex(/^\d{10}$/),
    description: z.string().max(120).optional(),
  }).optional(),
  items: z.array(z.strictObject({
    retailer_id: z.string().min(1),
    name: z.string().min(1).max(60),
    amount: amountSchema,
    quantity: z.int().min(1),
  })).min(1),
  subtotal: amountSchema,
  tax: amountSchema,
  shipping: amountSchema.optional(),
  discount: amountSchema.optional(),
});

const detailsSchema = z.strictObject({
  reference_id: referenceSchema,
  type: z.enum(["digital-goods", "physical-goods"]),
  payment_type: z.literal("br"),
  currency: z.literal("BRL"),
  total_amount: amountSchema,
  payment_settings: z.array(settingSchema).min(1),
  order: orderSchema.optional(),
}).superRefine(({ total_amount, order }, refinement) => {
  if (order === undefined) return;
  const { items, subtotal, tax, shipping, discount } = order;
  const ofItems = items.reduce((sum, { amount, quantity }) => sum + amount.value * quantity, 0);
  const total = subtotal.value + tax.value + (shipping?.value ?? 0) - (discount?.value ?? 0);
  if (ofItems === subtotal.value && total === total_amount.value) return;
  const message = "Total amount does not match the order";
  refinement.addIssue({ code: "custom", path: ["total_amount"], message });
});

/** What the button of a template copies or opens: of a Pix code nothing but the code. */
const requestSettingSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("pix_dynamic_code"),
    pix_dynamic_code: z.strictObject({ code: z.string().min(1) }),
  }),
  linkSetting,
  boletoSetting,
]);

/** What the payment buttons of a template are sent with (pages Order details and Payment request templates). */
export const paymentActions = {
  order_details: detailsSchema.transform(toShownOrder).optional(),
  payment_request: z.strictObject({
    payment_setting: requestSettingSchema.transform(toShownMeans),
  }).transform(({ payment_setting }) => payment_setting).optional(),
};

type ShownPayment = NonNullable<SimulatedContent["parts"]["payment"]>;

function toShownMeans(
  setting: z.infer<typeof requestSettingSchema>,
): Pick<ShownPayment, "code" | "link" | "boleto"> {
  return setting.type === "pix_dynamic_code"
    ? { code: setting.pix_dynamic_code.code }
    : setting.type === "payment_link"
    ? { link: setting.payment_link.uri }
    : { boleto: setting.boleto.digitable_line };
}

function toShownOrder(
  { reference_id: reference, total_amount, payment_settings, order }: z.infer<typeof detailsSchema>,
): ShownPayment {
  return Object.assign(
    {
      reference,
      amount: (total_amount.value / 100).toFixed(2),
      items: (order?.items ?? []).map(({ name, quantity }) => ({ name, quantity })),
    },
    ...payment_settings.map(toShownMeans),
  );
}

/** A request to pay: what the person sees, and what the buttons copy or open. */
export const orderDetailsSchema = z.strictObject({
  type: z.literal("order_details"),
  header: z.strictObject({
    type: z.literal("image"),
    image: z.strictObject({ link: z.url() }),
  }).optional(),
  body: bodySchema,
  footer: footerSchema,
  action: z.strictObject({ name: z.literal("review_and_pay"), parameters: detailsSchema }),
}).transform(({ body, action: { parameters } }): SimulatedContent =>
  fillContent({
    messageType: "payment_request",
    text: body.text,
    parts: { payment: toShownOrder(parameters) },
  })
);

/** What has become of an order. */
export const orderStatusSchema = z.strictObject({
  type: z.literal("order_status"),
  body: bodySchema,
  footer: footerSchema,
  action: z.strictObject({
    name: z.literal("review_order"),
    parameters: z.strictObject({
      reference_id: referenceSchema,
      order: z.strictObject({
        status: z.enum([
          ...["pending", "processing", "partially-shipped", "shipped"] as const,
          ...["completed", "canceled"] as const,
        ]),
        description: z.string().max(120).optional(),
      }).optional(),
      payment: z.strictObject({
        status: z.enum(["pending", "captured", "failed"]),
        timestamp: z.int().optional(),
      }).optional(),
    }).refine(({ order, payment }) => order !== undefined || payment !== undefined, {
      path: ["order"],
      message: "is required",
    }),
  }),
}).transform(({ body, action: { parameters } }): SimulatedContent =>
  fillContent({
    messageType: "payment_status",
    text: body.text,
    parts: {
      orderStatus: {
        reference: parameters.reference_id,
        order: parameters.order?.status,
        payment: parameters.payment?.status,
      },
    },
  })
);

interface OrderState {
  readonly order: string;
  readonly payment: string | null;
}

/** Most orders that are remembered; the oldest are dropped. */
const capacity = 50_000;

/** The orders that numbers have shown, by their references, and what became of them. */
export class Orders {
  readonly #states = new Map<string, OrderState>();

  /** Keeps what the message says, or tells why the channel refuses it. */
  take(instance: string, waId: string, { parts }: SimulatedContent): GraphError | undefined {
    const { payment, orderStatus } = parts;
    if (payment === undefined && orderStatus === undefined) return undefined;
    if (/^(?!55)\d/.test(waId)) return describeFault(2040);
    // A template's payment buttons, which show no order.
    if (payment?.reference === null) return undefined;
    const key = `${instance} ${payment?.reference ?? orderStatus?.reference}`;
    const former = this.#states.get(key);
    if (orderStatus === undefined) {
      this.#keep(key, { order: "pending", payment: null });
      return undefined;
    }
    if (former === undefined) {
      return { ...describeFault(131009), details: "reference_id: is not known" };
    }
    const next = {
      order: orderStatus.order ?? former.order,
      payment: orderStatus.payment ?? former.payment,
    };
    const isPaid = former.payment === "captured" || former.payment === "pending";
    if (next.order === "canceled" && isPaid) return describeFault(2047);
    const isFinal = former.order === "completed" || former.order === "canceled";
    if (isFinal && next.order !== former.order) return describeFault(2046);
    this.#keep(key, next);
    return undefined;
  }

  #keep(key: string, state: OrderState): void {
    this.#states.delete(key);
    this.#states.set(key, state);
    const [oldest] = this.#states.keys();
    if (this.#states.size > capacity && oldest !== undefined) this.#states.delete(oldest);
  }
}
