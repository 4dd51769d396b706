/**
 * Corrections to Meta's own OpenAPI description of the Cloud API (repository facebook/openapi,
 * business-messaging-api v23.0). Without them it refuses even its own examples. Each correction
 * changes the description in place and gives its reason.
 */

// deno-lint-ignore no-explicit-any
type Schema = Record<string, any>;

/** The corrected parts of the description. */
export interface MetaDescription {
  readonly components: { readonly schemas: Schema };
}

/** Applies every correction. */
export function correctMetaDescription({ components: { schemas } }: MetaDescription): void {
  for (const correct of corrections) correct(schemas);
}

const contentKeys = [
  ...["text", "image", "audio", "video", "document", "sticker", "location", "contacts"],
  ...["interactive", "reaction", "template"],
];

function action(name: string, parameters: Schema): Schema {
  return { required: ["name", "parameters"], properties: { name: { const: name }, parameters } };
}

function closed(required: Schema, optional: Schema = {}): Schema {
  return {
    required: Object.keys(required),
    properties: { ...required, ...optional },
    additionalProperties: false,
  };
}

const reference_id = { type: "string", pattern: "^[A-Za-z0-9_.-]{1,60}$" };
const amount = closed({ value: { type: "integer", minimum: 0 }, offset: { const: 100 } });
const words = { type: "string", minLength: 1 };
const described = { type: "string", minLength: 1, maxLength: 120 };

const paymentSettings: Schema = {
  pix_dynamic_code: closed({
    code: words,
    merchant_name: words,
    key: words,
    key_type: { enum: ["CPF", "CNPJ", "EMAIL", "PHONE", "EVP"] },
  }),
  payment_link: closed({ uri: { type: "string", format: "url" } }),
  boleto: closed({ digitable_line: words }),
};

const orderDetails = closed({
  reference_id,
  type: { enum: ["digital-goods", "physical-goods"] },
  payment_type: { const: "br" },
  currency: { const: "BRL" },
  total_amount: amount,
  payment_settings: {
    type: "array",
    minItems: 1,
    items: {
      oneOf: Object.entries(paymentSettings).map(([type, setting]) =>
        closed({ type: { const: type }, [type]: setting })
      ),
    },
  },
  order: closed({
    status: { const: "pending" },
    items: {
      type: "array",
      minItems: 1,
      items: closed({
        retailer_id: words,
        name: { type: "string", minLength: 1, maxLength: 60 },
        amount,
        quantity: { type: "integer", minimum: 1 },
      }),
    },
    subtotal: amount,
    tax: amount,
  }, {
    shipping: amount,
    discount: amount,
    expiration: closed({ timestamp: { type: "string", pattern: "^[0-9]+$" } }, {
      description: described,
    }),
  }),
});

const orderStatus = closed({ reference_id }, {
  order: closed({
    status: {
      enum: ["pending", "processing", "partially-shipped", "shipped", "completed", "canceled"],
    },
  }, { description: described }),
  payment: closed({ status: { enum: ["pending", "captured", "failed"] } }),
});

const corrections: readonly ((schemas: Schema) => void)[] = [
  /** A member of an `allOf` that forbids other properties forbids those of its siblings too. */
  function allowPropertiesOfSiblings(schemas): void {
    for (const schema of Object.values(schemas)) {
      for (const member of schema.allOf ?? []) delete member.additionalProperties;
    }
  },

  /** Meta's own examples omit `policy`: `deterministic` is its only value. */
  function requireLanguageCodeOnly(schemas): void {
    schemas.LanguageObject.required = ["code"];
  },

  /** Meta's own examples omit `recipient_type`: the default is `individual`. */
  function requireWhatEveryMessageHas(schemas): void {
    schemas.BaseMessageProperties.required = ["messaging_product", "to", "type"];
  },

  /** The published pattern `^[2-6, 11-14]$` refuses the positions "0" and "1". */
  function correctButtonIndex(schemas): void {
    const index = { type: ["string", "integer"], pattern: "^[0-9]$", minimum: 0, maximum: 9 };
    schemas.TemplateComponent.properties.index = index;
    schemas.ButtonComponent.allOf[1].properties.index = index;
  },

  /** Validators ignore a `discriminator`, so components and parameters would not be checked. */
  function applyDiscriminators(schemas): void {
    for (const name of ["TemplateComponent", "ParameterObject", "ButtonParameterObject"]) {
      const mapping: Record<string, string> = schemas[name].discriminator.mapping;
      schemas[name].allOf = Object.entries(mapping).map(([type, reference]) => ({
        if: { properties: { type: { const: type } } },
        // Its first member is the schema itself, which would recurse without end.
        then: { $ref: `${reference}/allOf/1` },
      }));
    }
  },

  /** Documented on the pages Messages and Templates, missing in the description. */
  function addUndescribedProperties(schemas): void {
    schemas.BaseMessageProperties.properties.biz_opaque_callback_data = {
      type: "string",
      maxLength: 512,
    };
    schemas.TextParameter.allOf[1].properties.parameter_name = { type: "string", minLength: 1 };
  },

  /** Page Text messages: the body is required and has at most 4,096 characters. */
  function boundText(schemas): void {
    const text = schemas.TextMessage.allOf[1].properties.text;
    text.required = ["body"];
    text.properties.body.minLength = 1;
    text.properties.body.maxLength = 4_096;
  },

  /**
   * Pages Image, Video, Document and Audio messages: the members allowed beside the file's address.
   */
  function boundMedia(schemas): void {
    const source = { id: { type: "string" }, link: { type: "string", format: "url" } };
    const caption = { type: "string", minLength: 1, maxLength: 1_024 };
    const filename = { type: "string", minLength: 1 };
    const members: Schema = {
      image: { ...source, caption },
      video: { ...source, caption },
      document: { ...source, caption, filename },
      // Page Audio messages: a voice message, which the phone shows with a play icon.
      audio: { ...source, voice: { type: "boolean" } },
    };
    for (const [type, properties] of Object.entries(members)) {
      const message = schemas[`${type[0]?.toUpperCase()}${type.slice(1)}Message`];
      message.allOf[1].properties[type] = {
        allOf: [message.allOf[1].properties[type]],
        properties,
        additionalProperties: false,
      };
    }
  },

  /** The page Location messages and Meta's own examples have numbers. */
  function takeCoordinatesAsNumbers(schemas): void {
    const { properties } = schemas.LocationMessage.allOf[1].properties.location;
    properties.latitude = { type: "number", minimum: -90, maximum: 90 };
    properties.longitude = { type: "number", minimum: -180, maximum: 180 };
  },

  /**
   * Pages Interactive call-to-action URL button messages, Location request messages and Request contact
   * information, missing in the description.
   */
  function addInteractiveTypes(schemas): void {
    schemas.InteractiveObject.properties.type.enum.push(
      "cta_url",
      "location_request_message",
      "request_contact_info",
    );
    const parameters = {
      type: "object",
      required: ["display_text", "url"],
      properties: {
        display_text: { type: "string", minLength: 1, maxLength: 20 },
        url: { type: "string", format: "url" },
      },
      additionalProperties: false,
    };
    schemas.ActionObject.oneOf.push(
      { required: ["name", "parameters"], properties: { name: { enum: ["cta_url"] }, parameters } },
      {
        required: ["name"],
        properties: { name: { enum: ["send_location", "request_contact_info"] } },
      },
    );
  },

  /** Pages Orders, Offsite Pix, Payment links and Boleto, of which the description has an example alone. */
  function addOrders(schemas): void {
    schemas.InteractiveObject.properties.type.enum.push("order_details", "order_status");
    schemas.ActionObject.oneOf.push(
      action("review_and_pay", { type: "object", ...orderDetails }),
      action("review_order", { type: "object", ...orderStatus }),
    );
  },

  /** Stricter than Meta: exactly one content of the kinds we send, and no unknown members. */
  function holdOneContent(schemas): void {
    const envelope = ["messaging_product", "recipient_type", "to", "type", "context"];
    schemas.Message.allOf = [
      { propertyNames: { enum: [...envelope, "biz_opaque_callback_data", ...contentKeys] } },
      { oneOf: contentKeys.map((key) => ({ required: [key] })) },
    ];
  },

  /** Page Interactive list messages: a list has a body, ten rows in all and unique row ids. */
  function boundLists(schemas): void {
    schemas.InteractiveMessage.allOf.push({
      properties: {
        interactive: {
          if: { properties: { type: { const: "list" } } },
          then: {
            required: ["body"],
            properties: { action: { required: ["button", "sections"], tenUniqueRows: true } },
          },
        },
      },
    });
  },
];
