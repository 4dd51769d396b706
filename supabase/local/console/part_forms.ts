/**
 * The panel "Send as the customer": a form for each part that a message may have. The table follows from
 * the service's own (`receivedParts`): a part that is forgotten here is an error of the compiler.
 */
import { channels } from "../simulator/channels.ts";
import { type WrittenPartName, writtenPartNames } from "../simulator/written_parts.ts";

interface PartField {
  /** Where the value stands in the part, such as `items.0.name`; empty for the part itself. */
  readonly path: string;
  readonly label: string;
  /** What the field holds at first, so that each kind is sent by one click. */
  readonly value: string;
  /** How the value is read: as words, unless it says otherwise. */
  readonly as?: "words" | "number" | "flag" | "json";
  readonly options?: readonly string[];
}

interface PartForm {
  readonly label: string;
  /** None for what is sent elsewhere: on a bubble, or beside a file. */
  readonly fields: readonly PartField[];
}

const name = "Café torrado";
const brl = { path: "currency", label: "Currency", value: "BRL" };

export const partForms: { readonly [Name in WrittenPartName]: PartForm } = {
  location: {
    label: "Location",
    fields: [
      { path: "latitude", label: "Latitude", value: "-23.5614", as: "number" },
      { path: "longitude", label: "Longitude", value: "-46.6559", as: "number" },
      { path: "name", label: "Name", value: "Loja da Paulista" },
      { path: "address", label: "Address", value: "Av. Paulista, 1578" },
    ],
  },
  contacts: {
    label: "Contact card",
    fields: [
      { path: "0.name", label: "Name", value: "Ana Souza" },
      { path: "0.phones.0", label: "Phone number", value: "+55 11 91234-5678" },
      { path: "0.emails.0", label: "E-mail", value: "ana@example.com" },
      { path: "0.organization", label: "Company", value: "Padaria Sol" },
    ],
  },
  order: {
    label: "Order",
    fields: [
      { path: "items.0.productId", label: "Product", value: "CAFE-500" },
      { path: "items.0.name", label: "Name", value: name },
      { path: "items.0.quantity", label: "Quantity", value: "2", as: "number" },
      { path: "items.0.price", label: "Price", value: "32.50" },
      { ...brl, path: "items.0.currency" },
      { path: "catalogId", label: "Catalog", value: "194836987003835" },
      { path: "total", label: "Total", value: "65.00" },
      { path: "note", label: "Note", value: "Moído, por favor" },
    ],
  },
  product: {
    label: "Product question",
    fields: [
      { path: "productId", label: "Product", value: "CAFE-500" },
      { path: "catalogId", label: "Catalog", value: "194836987003835" },
      { path: "name", label: "Name", value: name },
      { path: "price", label: "Price", value: "32.50" },
      brl,
    ],
  },
  flowAnswer: {
    label: "Flow answer",
    fields: [
      { path: "name", label: "Name", value: "flow" },
      { path: "token", label: "Token", value: "visita-812" },
      {
        path: "data",
        label: "Answers (JSON)",
        value: '{"dia":"terça","hora":"10:00"}',
        as: "json",
      },
    ],
  },
  payment: {
    label: "Payment",
    fields: [
      {
        ...{ path: "kind", label: "Kind", value: "pix" },
        options: ["pix", "request", "payment", "order", "invitation", "declined", "canceled"],
      },
      { path: "amount", label: "Amount", value: "65.00" },
      brl,
      { path: "key", label: "PIX key", value: "vendas@example.com" },
      { path: "keyType", label: "Kind of key", value: "EMAIL" },
      { path: "referenceId", label: "Reference", value: "4N9AVI38VOC" },
      { path: "note", label: "Note", value: "Sinal do pedido" },
    ],
  },
  poll: {
    label: "Poll",
    fields: [
      { path: "question", label: "Question", value: "Qual dia?" },
      { path: "options.0", label: "First option", value: "Segunda" },
      { path: "options.1", label: "Second option", value: "Terça" },
      { path: "maxOptions", label: "Most choices", value: "1", as: "number" },
    ],
  },
  event: {
    label: "Event",
    fields: [
      { path: "name", label: "Name", value: "Inauguração" },
      { path: "description", label: "Description", value: "Com café" },
      { path: "startsAt", label: "Begins", value: "2030-01-15T13:00:00Z" },
      { path: "place", label: "Place", value: "Loja da Paulista" },
    ],
  },
  menu: {
    label: "Template of another business",
    fields: [
      { path: "title", label: "Title", value: "Pedido 812" },
      { path: "body", label: "Words", value: "Seu pedido saiu" },
      { path: "footer", label: "Footer", value: "Loja Azul" },
      { path: "items.0.kind", label: "Kind", value: "link", options: ["link", "reply", "phone"] },
      { path: "items.0.title", label: "Button", value: "Rastrear" },
      { path: "items.0.url", label: "Link", value: "https://example.com/812" },
    ],
  },
  groupInvite: {
    label: "Group invitation",
    fields: [
      { path: "groupId", label: "Group", value: "120363019502650977@g.us" },
      { path: "name", label: "Name", value: "Clientes" },
      { path: "code", label: "Code", value: "BdNcXk7" },
    ],
  },
  call: {
    label: "Missed call",
    fields: [{ path: "kind", label: "Kind", value: "voice", options: ["voice", "video"] }],
  },
  preview: {
    label: "Link with preview",
    fields: [
      { path: "url", label: "Link", value: "https://example.com/cafe" },
      { path: "title", label: "Title", value: name },
      { path: "description", label: "Description", value: "Torra média" },
    ],
  },
  context: {
    label: "Forwarded",
    fields: [
      { path: "isForwarded", label: "Forwarded", value: "true", as: "flag" },
      { path: "isFrequentlyForwarded", label: "Forwarded many times", value: "", as: "flag" },
      { path: "isStatusReply", label: "Answers a status", value: "", as: "flag" },
    ],
  },
  referral: {
    label: "Ad click",
    fields: [
      { path: "sourceType", label: "Kind", value: "ad", options: ["ad", "post"] },
      { path: "sourceId", label: "Ad", value: "120226305854810726" },
      { path: "sourceUrl", label: "Link", value: "https://fb.me/3cr4Wqqkv" },
      { path: "headline", label: "Title", value: "Café em dobro" },
      { path: "body", label: "Words", value: "Só nesta semana" },
      { path: "clickId", label: "Click", value: "Aff-n8ZTODiE79d22KtAwQKj9e" },
    ],
  },
  errors: {
    label: "Error of the channel",
    fields: [
      { path: "0.code", label: "Code", value: "131052" },
      { path: "0.title", label: "Title", value: "Media download error" },
      { path: "0.details", label: "Description", value: "The file could not be fetched." },
    ],
  },
  unsupportedType: {
    label: "Unsupported kind",
    fields: [{ path: "", label: "Kind", value: "video_note" }],
  },
  groupId: {
    label: "Message in a group",
    fields: [{ path: "", label: "Group", value: "120363019502650977" }],
  },
  // On the bubble that it is to.
  reaction: { label: "Reaction", fields: [] },
  pollVote: { label: "Poll vote", fields: [] },
  eventAnswer: { label: "Answer to an event", fields: [] },
  // Beside a file.
  isViewOnce: { label: "View once", fields: [] },
  isGif: { label: "GIF", fields: [] },
};

const inPanel = writtenPartNames.filter((part) => partForms[part].fields.length > 0);

function listOptions(): string {
  return inPanel.map((part) => {
    const telling = channels.filter(({ parts }) => parts[part] !== null);
    const alone = telling.filter(({ parts }) => parts[part]?.needs === "nothing");
    const list = (some: typeof channels): string => some.map(({ kind }) => kind).join(" ");
    return `            <option value="${part}" data-providers="${list(telling)}" data-alone="${
      list(alone)
    }">${partForms[part].label}</option>`;
  }).join("\n");
}

function writeField({ path, label, value, as = "words", options }: PartField): string {
  const attributes = `name="${path}" data-as="${as}"`;
  if (as === "flag") {
    const checked = value === "" ? "" : " checked";
    return `          <label class="field check"><input type="checkbox" ${attributes}${checked}>${label}</label>`;
  }
  if (options !== undefined) {
    // The API's own words, which no language translates.
    const choices = options.map((option) =>
      `<option value="${option}" label="${option}"></option>`
    );
    return `          <label class="field">${label}<select ${attributes}>${
      choices.join("")
    }</select></label>`;
  }
  const type = as === "number" ? ' type="number" step="any"' : "";
  return `          <label class="field">${label}<input ${attributes}${type} value="${
    value.replaceAll('"', "&quot;")
  }"></label>`;
}

/** The panel's form, and the name of each part for those that a bubble shows. */
export function describePartPanel(): string {
  const fieldsets = inPanel.map((part) =>
    `        <fieldset class="part-fields" data-part="${part}" hidden disabled>\n${
      partForms[part].fields.map(writeField).join("\n")
    }\n        </fieldset>`
  );
  const labels = writtenPartNames.map((part) =>
    `<li data-part="${part}">${partForms[part].label}</li>`
  );
  return `    <details class="composer" id="part-panel" hidden>
      <summary>Send as the customer</summary>
      <form class="part-form" id="part-form" autocomplete="off" aria-label="Send as the customer">
        <div class="composer-more">
          <label class="field">Kind
            <select id="part-kind">
${listOptions()}
            </select>
          </label>
          <label class="field">Words beside it
            <input id="part-words" value="Olá!">
          </label>
        </div>
${fieldsets.join("\n")}
        <button type="submit" class="primary">Send this kind</button>
      </form>
    </details>
    <ul id="part-names" hidden>${labels.join("")}</ul>`;
}
