/**
 * Which host of a URL is public. IP ranges are those of the IANA special-purpose address
 * registries (RFC 6890) and the multicast and reserved blocks; suffixes are those never delegated
 * in the public DNS (RFC 6761, RFC 6762 appendix G, RFC 8375, ICANN's `internal`).
 */

const nonPublicSuffixes = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "home.arpa",
];

/** First address and prefix length of every IPv4 block that is not plain public unicast. */
const nonPublicIpv4Blocks: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8], // this network, unspecified
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT
  ["127.0.0.0", 8], // loopback
  ["169.254.0.0", 16], // link-local, cloud metadata
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // former 6to4 relay
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarking
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, broadcast
];

const ipv4Pattern = /^[0-9]{1,3}(?:\.[0-9]{1,3}){3}$/;
const hostNameLabel = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/**
 * Whether `hostname` (as `URL.hostname` gives it: lower case, IPv4 in four decimal parts, IPv6 in
 * brackets) is a public IP address, or a name of two labels or more that can stand in the public
 * DNS. Names are not resolved.
 */
export function isPublicHost(hostname: string): boolean {
  if (hostname.startsWith("[")) return isPublicIpv6(hostname.slice(1, -1));
  if (isIpv4(hostname)) return isPublicIpv4(hostname);
  return isPublicName(hostname.endsWith(".") ? hostname.slice(0, -1) : hostname);
}

/** Whether a resolved address (as a resolver writes it) is public. One that cannot be read is not. */
export function isPublicAddress(address: string): boolean {
  if (isIpv4(address)) return isPublicIpv4(address);
  // The URL parser brings every form (a dotted IPv4 part, zeros) into the one that is compared.
  const hostname = URL.parse(`http://[${address}]/`)?.hostname;
  return hostname !== undefined && isPublicHost(hostname);
}

/** Whether `hostname` (as `URL.hostname` gives it) is an IPv4 address. */
export function isIpv4(hostname: string): boolean {
  return ipv4Pattern.test(hostname);
}

function isPublicName(name: string): boolean {
  const labels = name.split(".");
  if (name.length > 253 || labels.length < 2) return false;
  if (!labels.every((label) => hostNameLabel.test(label))) return false;
  return !nonPublicSuffixes.some((suffix) => name === suffix || name.endsWith(`.${suffix}`));
}

function isPublicIpv4(address: string): boolean {
  const value = parseIpv4(address);
  return !nonPublicIpv4Blocks.some(([first, prefixBits]) => {
    const blockSize = 2 ** (32 - prefixBits);
    return Math.floor(value / blockSize) === Math.floor(parseIpv4(first) / blockSize);
  });
}

function parseIpv4(address: string): number {
  return address.split(".").reduce((value, part) => value * 256 + Number(part), 0);
}

/**
 * Only global unicast (2000::/3) is public. That leaves out loopback, link-local, unique-local and
 * multicast addresses and the IPv4-mapped, IPv4-compatible and NAT64 wrappers; inside it, 6to4 and
 * Teredo contain an IPv4 address too and are always rejected.
 */
function isPublicIpv6(address: string): boolean {
  const [first = 0, second = 0] = parseIpv6(address);
  if (first < 0x2000 || first > 0x3fff) return false;
  const isProtocolAssignment = first === 0x2001 && second < 0x0200; // 2001::/23, holds Teredo
  const isDocumentation = (first === 0x2001 && second === 0x0db8) ||
    (first === 0x3fff && second < 0x1000);
  const is6to4 = first === 0x2002;
  return !isProtocolAssignment && !isDocumentation && !is6to4;
}

/** The eight groups of an address that the URL parser has already checked and compressed. */
function parseIpv6(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const groupsOf = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const before = groupsOf(head);
  const after = groupsOf(tail ?? "");
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}
