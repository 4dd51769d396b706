/** For each rule the smallest wrong template, and the nearest right one. */

export type Template = Readonly<Record<string, unknown>>;

export interface RuleCase {
  readonly rule: string;
  readonly wrong: Template;
  readonly path: string;
  readonly right: Template;
}

export const body = { type: "BODY", text: "Seu pedido saiu." };

/** A template that breaks no rule. */
export const plain = {
  name: "aviso",
  language: "pt_BR",
  category: "UTILITY",
  parameterFormat: "POSITIONAL",
  components: [body],
};

const otp = { type: "OTP", otp_type: "COPY_CODE" };

/** A template of codes that breaks no rule. */
export const code = {
  ...plain,
  category: "AUTHENTICATION",
  components: [{ type: "BODY" }, { type: "BUTTONS", buttons: [otp] }],
};

const app = { package_name: "br.example.loja", signature_hash: "K8a/AINcGX7" };

function withBody(text: string, examples: readonly string[] = []): Template {
  const example = examples.length === 0 ? {} : { example: { body_text: [examples] } };
  return { ...plain, components: [{ type: "BODY", text, ...example }] };
}

function withPart(part: unknown): Template {
  return { ...plain, components: [body, part] };
}

function withButtons(...buttons: readonly unknown[]): Template {
  return withPart({ type: "BUTTONS", buttons });
}

function withCodeButton(button: unknown): Template {
  return { ...code, components: [{ type: "BODY" }, { type: "BUTTONS", buttons: [button] }] };
}

const header = (text: string): Template => withPart({ type: "HEADER", format: "TEXT", text });
const footer = (text: string): Template => withPart({ type: "FOOTER", text });
const payButton = (text: string, type: string): Template => ({
  ...{ type: "PAYMENT_REQUEST", text },
  payment_setting: { type, [type]: {} },
});
const reply = (text: string): Template => ({ type: "QUICK_REPLY", text });
const link = (changes: object = {}): Template => ({
  type: "URL",
  text: "Ver",
  url: "https://a.example",
  ...changes,
});

/** Rules about the account have cases of their own, as a template alone cannot break them. */
export const ruleCases: readonly RuleCase[] = [
  {
    rule: "name_characters",
    wrong: { ...plain, name: "Aviso" },
    path: "name",
    right: { ...plain, name: "aviso" },
  },
  {
    rule: "name_characters",
    wrong: { ...plain, name: "a".repeat(513) },
    path: "name",
    right: { ...plain, name: "a".repeat(512) },
  },
  {
    rule: "language_known",
    wrong: { ...plain, language: "pt" },
    path: "language",
    right: { ...plain, language: "pt_PT" },
  },
  {
    rule: "category_known",
    wrong: { ...plain, category: null },
    path: "category",
    right: { ...plain, category: "MARKETING" },
  },
  {
    rule: "parameter_format_known",
    wrong: { ...plain, parameterFormat: "NUMBERED" },
    path: "parameterFormat",
    right: { ...plain, parameterFormat: "NAMED" },
  },
  {
    rule: "part_supported",
    wrong: withPart({ type: "CAROUSEL", cards: [] }),
    path: "components.1.type",
    right: footer("Loja"),
  },
  {
    rule: "part_supported",
    wrong: withPart({ type: "LIMITED_TIME_OFFER" }),
    path: "components.1.type",
    right: footer("Loja"),
  },
  {
    rule: "part_known",
    wrong: withPart({ type: "TAIL", text: "Loja" }),
    path: "components.1.type",
    right: footer("Loja"),
  },
  {
    rule: "part_once",
    wrong: withPart(body),
    path: "components.1.type",
    right: plain,
  },
  {
    rule: "body_required",
    wrong: { ...plain, components: [{ type: "FOOTER", text: "Loja" }] },
    path: "components",
    right: plain,
  },
  {
    rule: "part_complete",
    wrong: { ...plain, components: [{ type: "BODY" }] },
    path: "components.0.text",
    right: plain,
  },
  {
    rule: "part_complete",
    wrong: withPart({ type: "HEADER" }),
    path: "components.1.format",
    right: withPart({ type: "HEADER", format: "LOCATION" }),
  },
  {
    rule: "part_complete",
    wrong: withButtons(),
    path: "components.1.buttons",
    right: withButtons(reply("Sim")),
  },
  {
    rule: "header_format",
    wrong: withPart({ type: "HEADER", format: "GIF" }),
    path: "components.1.format",
    right: withPart({ type: "HEADER", format: "LOCATION" }),
  },
  {
    rule: "text_length",
    wrong: withBody("a".repeat(1_025)),
    path: "components.0.text",
    right: withBody("a".repeat(1_024)),
  },
  {
    rule: "text_length",
    wrong: header("a".repeat(61)),
    path: "components.1.text",
    right: header("a".repeat(60)),
  },
  {
    rule: "text_length",
    wrong: footer("a".repeat(61)),
    path: "components.1.text",
    right: footer("a".repeat(60)),
  },
  {
    rule: "text_length",
    wrong: withButtons(reply("a".repeat(26))),
    path: "components.1.buttons.0.text",
    right: withButtons(reply("a".repeat(25))),
  },
  {
    rule: "text_length",
    wrong: withButtons(link({ url: `https://a.example/${"a".repeat(1_983)}` })),
    path: "components.1.buttons.0.url",
    right: withButtons(link({ url: `https://a.example/${"a".repeat(1_982)}` })),
  },
  {
    rule: "header_wording",
    wrong: header("Oferta *hoje*"),
    path: "components.1.text",
    right: header("Oferta hoje"),
  },
  {
    rule: "header_wording",
    wrong: header("Oferta\nhoje"),
    path: "components.1.text",
    right: header("Oferta hoje"),
  },
  {
    rule: "header_wording",
    wrong: header("Oferta 🎉"),
    path: "components.1.text",
    right: header("Oferta 1"),
  },
  {
    rule: "header_variables",
    wrong: withPart({
      type: "HEADER",
      format: "TEXT",
      text: "De {{1}} a {{2}} hoje",
      example: { header_text: ["9h", "18h"] },
    }),
    path: "components.1.text",
    right: withPart({
      type: "HEADER",
      format: "TEXT",
      text: "De {{1}} a 18h hoje",
      example: { header_text: ["9h"] },
    }),
  },
  {
    rule: "footer_wording",
    wrong: footer("Loja {{1}}"),
    path: "components.1.text",
    right: footer("Loja 1"),
  },
  {
    rule: "footer_wording",
    wrong: footer("_Loja_"),
    path: "components.1.text",
    right: footer("Loja_"),
  },
  {
    rule: "variable_form",
    wrong: withBody("Seu pedido {{1} saiu hoje."),
    path: "components.0.text",
    right: withBody("Seu pedido {{1}} saiu hoje.", ["4711"]),
  },
  {
    rule: "variable_form",
    wrong: withBody("Seu pedido {{pedido}} saiu hoje.", ["4711"]),
    path: "components.0.text",
    right: withBody("Seu pedido {{1}} saiu hoje.", ["4711"]),
  },
  {
    rule: "variable_order",
    wrong: withBody("Seu pedido {{2}} saiu hoje.", ["4711"]),
    path: "components.0.text",
    right: withBody("Seu pedido {{1}} saiu hoje.", ["4711"]),
  },
  {
    rule: "variables_for_length",
    wrong: withBody("O pedido {{1}} saiu: {{2}} hoje.", ["4711", "A"]),
    path: "components.0.text",
    right: withBody("O seu pedido {{1}} saiu: {{2}} hoje.", ["4711", "A"]),
  },
  {
    rule: "variable_at_edge",
    wrong: withBody("{{1}} é o seu pedido.", ["4711"]),
    path: "components.0.text",
    right: withBody("Nº {{1}} é o seu pedido.", ["4711"]),
  },
  {
    rule: "variable_at_edge",
    wrong: withBody("O seu pedido é {{1}}", ["4711"]),
    path: "components.0.text",
    right: withBody("O seu pedido é {{1}}.", ["4711"]),
  },
  {
    rule: "text_examples",
    wrong: withBody("Seu pedido {{1}} saiu hoje."),
    path: "components.0.example.body_text",
    right: withBody("Seu pedido {{1}} saiu hoje.", ["4711"]),
  },
  {
    rule: "text_examples",
    wrong: withPart({ type: "HEADER", format: "TEXT", text: "Pedido {{1}} saiu" }),
    path: "components.1.example.header_text",
    right: withPart({
      type: "HEADER",
      format: "TEXT",
      text: "Pedido {{1}} saiu",
      example: { header_text: ["4711"] },
    }),
  },
  {
    rule: "text_examples",
    wrong: {
      ...withBody("Seu pedido {{pedido}} saiu hoje."),
      parameterFormat: "NAMED",
    },
    path: "components.0.example.body_text_named_params",
    right: {
      ...plain,
      parameterFormat: "NAMED",
      components: [{
        type: "BODY",
        text: "Seu pedido {{pedido}} saiu hoje.",
        example: { body_text_named_params: [{ param_name: "pedido", example: "4711" }] },
      }],
    },
  },
  {
    rule: "url_example",
    wrong: withButtons(link({ url: "https://a.example/{{1}}" })),
    path: "components.1.buttons.0.example",
    right: withButtons(link({ url: "https://a.example/{{1}}", example: ["4711"] })),
  },
  {
    rule: "media_example",
    wrong: withPart({ type: "HEADER", format: "IMAGE" }),
    path: "components.1.example",
    right: withPart({
      type: "HEADER",
      format: "IMAGE",
      example: { mediaUrl: "https://a.example/1.png" },
    }),
  },
  {
    rule: "button_known",
    wrong: withButtons({ type: "POLL", text: "Sim" }),
    path: "components.1.buttons.0.type",
    right: withButtons(reply("Sim")),
  },
  {
    rule: "button_count",
    wrong: withButtons(...Array.from({ length: 11 }, (_, index) => reply(`Opção ${index}`))),
    path: "components.1.buttons",
    right: withButtons(...Array.from({ length: 10 }, (_, index) => reply(`Opção ${index}`))),
  },
  {
    rule: "button_count",
    wrong: withButtons(link(), link({ text: "Ler" }), link({ text: "Abrir" })),
    path: "components.1.buttons.2.type",
    right: withButtons(link(), link({ text: "Ler" })),
  },
  {
    rule: "button_count",
    wrong: withButtons(
      { type: "PHONE_NUMBER", text: "Ligar", phone_number: "+551140001234" },
      { type: "PHONE_NUMBER", text: "Chamar", phone_number: "+551140001235" },
    ),
    path: "components.1.buttons.1.type",
    right: withButtons({ type: "PHONE_NUMBER", text: "Ligar", phone_number: "+551140001234" }),
  },
  {
    rule: "button_alone",
    wrong: withButtons({ type: "CATALOG", text: "Catálogo" }, reply("Sim")),
    path: "components.1.buttons.0.type",
    right: withButtons({ type: "CATALOG", text: "Catálogo" }),
  },
  {
    rule: "button_groups",
    wrong: withButtons(reply("Sim"), link(), reply("Não")),
    path: "components.1.buttons.2",
    right: withButtons(reply("Sim"), reply("Não"), link()),
  },
  {
    rule: "button_groups",
    wrong: withButtons(link(), reply("Sim"), link({ text: "Ler" })),
    path: "components.1.buttons.2",
    right: withButtons(link(), link({ text: "Ler" }), reply("Sim")),
  },
  {
    rule: "button_label",
    wrong: withButtons({ type: "QUICK_REPLY" }),
    path: "components.1.buttons.0.text",
    right: withButtons(reply("Sim")),
  },
  {
    rule: "button_wording",
    wrong: withButtons(reply("Sim {{1}}")),
    path: "components.1.buttons.0.text",
    right: withButtons(reply("Sim 1")),
  },
  {
    rule: "button_wording",
    wrong: withButtons(reply("Sim 👍")),
    path: "components.1.buttons.0.text",
    right: withButtons(reply("Sim")),
  },
  {
    rule: "button_labels_differ",
    wrong: withButtons(reply("Sim"), reply("sim")),
    path: "components.1.buttons.1.text",
    right: withButtons(reply("Sim"), reply("Não")),
  },
  {
    rule: "url_form",
    wrong: withButtons(link({ url: "a.example" })),
    path: "components.1.buttons.0.url",
    right: withButtons(link()),
  },
  {
    rule: "url_form",
    wrong: withButtons(link({ url: "https://wa.me/5511999990000" })),
    path: "components.1.buttons.0.url",
    right: withButtons(link({ url: "https://notwa.me/5511999990000" })),
  },
  {
    rule: "url_variable_at_end",
    wrong: withButtons(link({ url: "https://a.example/{{1}}/ver", example: ["4711"] })),
    path: "components.1.buttons.0.url",
    right: withButtons(link({ url: "https://a.example/ver/{{1}}", example: ["4711"] })),
  },
  {
    rule: "phone_form",
    wrong: withButtons({ type: "PHONE_NUMBER", text: "Ligar", phone_number: "4000-1234" }),
    path: "components.1.buttons.0.phone_number",
    right: withButtons({ type: "PHONE_NUMBER", text: "Ligar", phone_number: "551140001234" }),
  },
  {
    rule: "payment_setting",
    wrong: withButtons({ type: "PAYMENT_REQUEST", text: "Copy Pix code" }),
    path: "components.1.buttons.0.payment_setting",
    right: withButtons(
      payButton("Copy Pix code", "pix_dynamic_code"),
      payButton("Open payment link", "payment_link"),
    ),
  },
  {
    rule: "payment_setting",
    wrong: withButtons(
      payButton("Copy Pix code", "pix_dynamic_code"),
      payButton("Copy again", "pix_dynamic_code"),
    ),
    path: "components.1.buttons.1.payment_setting",
    right: withButtons(payButton("Copy Pix code", "pix_dynamic_code")),
  },
  {
    rule: "coupon_example",
    wrong: withButtons({ type: "COPY_CODE", example: "PROMO20262026202" }),
    path: "components.1.buttons.0.example",
    right: withButtons({ type: "COPY_CODE", example: "PROMO2026202620" }),
  },
  {
    rule: "code_body",
    wrong: { ...code, components: [{ type: "BODY", text: "Código" }, code.components[1]] },
    path: "components.0.text",
    right: {
      ...code,
      components: [{ type: "BODY", add_security_recommendation: true }, code.components[1]],
    },
  },
  {
    rule: "code_footer",
    wrong: { ...code, components: [...code.components, expiring(91)] },
    path: "components.2.code_expiration_minutes",
    right: { ...code, components: [...code.components, expiring(90)] },
  },
  {
    rule: "code_footer",
    wrong: { ...code, components: [...code.components, { ...expiring(5), text: "5 min" }] },
    path: "components.2.text",
    right: { ...code, components: [...code.components, expiring(5)] },
  },
  {
    rule: "code_header",
    wrong: {
      ...code,
      components: [...code.components, { type: "HEADER", format: "TEXT", text: "Código" }],
    },
    path: "components.2.type",
    right: code,
  },
  {
    rule: "code_button",
    wrong: { ...code, components: [{ type: "BODY" }] },
    path: "components",
    right: code,
  },
  {
    rule: "code_button",
    wrong: withCodeButton(reply("Copiar")),
    path: "components.1.buttons.0.type",
    right: withCodeButton(otp),
  },
  {
    rule: "code_button",
    wrong: withCodeButton({ type: "OTP" }),
    path: "components.1.buttons.0.otp_type",
    right: withCodeButton(otp),
  },
  {
    rule: "code_apps",
    wrong: withCodeButton({ type: "OTP", otp_type: "ONE_TAP" }),
    path: "components.1.buttons.0.supported_apps",
    right: withCodeButton({ type: "OTP", otp_type: "ONE_TAP", supported_apps: [app] }),
  },
  {
    rule: "code_terms",
    wrong: withCodeButton({ type: "OTP", otp_type: "ZERO_TAP", supported_apps: [app] }),
    path: "components.1.buttons.0.zero_tap_terms_accepted",
    right: withCodeButton({
      type: "OTP",
      otp_type: "ZERO_TAP",
      supported_apps: [app],
      zero_tap_terms_accepted: true,
    }),
  },
  {
    rule: "code_button_elsewhere",
    wrong: withButtons(otp),
    path: "components.1.buttons.0.type",
    right: code,
  },
];

function expiring(minutes: number): Template {
  return { type: "FOOTER", code_expiration_minutes: minutes };
}
