/**
 * Builds elements from names, attributes and children. Text always becomes a text node, so the
 * browser never parses text of a message, an e-mail or a name as markup.
 *
 * @param {string} name
 * @param {Record<string, string | boolean | undefined>} [attributes] absent for false or undefined
 * @param {...(Node | string | null | undefined)} children null and undefined are left out
 * @returns {HTMLElement}
 */
export function build(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/**
 * Builds an element of a drawing, as `build` does.
 *
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function buildShape(name, attributes, ...children) {
  const shape = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) shape.setAttribute(key, String(value));
  shape.append(...children);
  return shape;
}

/**
 * @param {string} id
 * @returns {HTMLElement} the element, which the page is known to have
 */
export function find(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no element ${id}.`);
  return element;
}

/**
 * A link that opens in another tab; plain text if the address is not an http(s) URL.
 *
 * @param {string} address
 * @param {string} [label]
 */
export function buildLink(address, label = address) {
  if (!isWebAddress(address)) return build("span", { class: "mono" }, label);
  return build(
    "a",
    { href: address, target: "_blank", rel: "noopener noreferrer" },
    label,
  );
}

/** @param {string} address */
export function isWebAddress(address) {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}

/**
 * Runs `task` at most once per frame, however often it is requested.
 *
 * @param {() => void} task
 */
export function oncePerFrame(task) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      task();
    });
  };
}
