/**
 * The names of devices of the Container Device Interface: `vendor.com/class=name`.
 *
 * @module
 */

/** Letters, digits, `_`, `-` and `.`; a letter first, and a letter or digit last. */
const KIND_PART = "[A-Za-z](?:[\\w.-]*[A-Za-z0-9])?";
/** A name may have `:` too, and begin with a digit. */
const NAME = "[A-Za-z0-9](?:[\\w.:-]*[A-Za-z0-9])?";
const QUALIFIED = new RegExp(`^(${KIND_PART})/(${KIND_PART})=(${NAME})$`);
const KIND = new RegExp(`^(${KIND_PART})/(${KIND_PART})$`);
const PLAIN = new RegExp(`^${NAME}$`);

/** Tells whether a text is the full name of a device, and no path. */
export function isDeviceName(text: string): boolean {
  return QUALIFIED.test(text);
}

/** Tells whether a text is a kind of devices, `vendor.com/class`. */
export function isDeviceKind(text: string): boolean {
  return KIND.test(text);
}

/** Tells whether a text is a name of a device among those of its kind. */
export function isPlainDeviceName(text: string): boolean {
  return PLAIN.test(text);
}
