/** The bytes of a response that are shown as a dump. */
export const DUMPED = 1024;
/** The bytes of a line of it. */
const ROW = 16;

/** The formats of images that browsers show, by the bytes they begin with: the type that a response names may be a guess. */
const IMAGES: readonly (readonly [type: string, start: RegExp])[] = [
  ["image/png", /^\x89PNG\r\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[^]{4}WEBP/],
  ["image/avif", /^[^]{4}ftypavi[fs]/],
  ["image/bmp", /^BM/],
];

/** The ways to show bytes. */
export type Preview = { readonly as: "image"; readonly type: string } | { readonly as: "text" | "bytes" };

/** Decides how the bytes of a response are shown, by its content type and how they begin. */
export function previewOf(contentType: string, start: Uint8Array): Preview {
  const type = contentType.split(";")[0].trim().toLowerCase();
  if (type === "image/svg+xml") return { as: "image", type };
  const text = binaryText(start.subarray(0, 16));
  const image = IMAGES.find(([name, pattern]) => (type === name || !type.startsWith("text/")) && pattern.test(text));
  if (image !== undefined) return { as: "image", type: image[0] };
  return { as: isText(start) ? "text" : "bytes" };
}

/** Whether bytes are text in UTF-8; a character may be cut at their end. */
function isText(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    // Control characters tell bytes from text, but for the white space among them and the escapes of terminals.
    return bytes.length > 0 && !/[^\P{Cc}\t-\r]/u.test(text.replaceAll("\u001b", ""));
  } catch {
    return false;
  }
}

/** Dumps bytes as hexadecimal digits beside their characters, sixteen in a line. */
export function hexDump(bytes: Uint8Array): string {
  const rows: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, DUMPED); at += ROW) {
    const row = bytes.subarray(at, Math.min(at + ROW, DUMPED));
    const digits = Array.from(row, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
    // Characters without a shape are a dot.
    const characters = binaryText(row).replaceAll(/[\p{Cc}\xa0\xad]/gu, "·");
    rows.push(`${at.toString(16).padStart(4, "0")}  ${digits.padEnd(ROW * 3 - 1)}  ${characters}`);
  }
  return rows.join("\n");
}

/** Writes a count of bytes for people. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length);
  const amount = bytes / 1024 ** power;
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${units[power - 1]}`;
}

function binaryText(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
