/** Whether a text may stand as a name in JavaScript as it is; words of the language, too, as names of properties may. */
export function isIdentifier(text: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(text);
}

/** The name of a property as it stands in a type. */
export function propertyName(name: string): string {
  return isIdentifier(name) ? name : JSON.stringify(name);
}

/** The name of a property as it stands in an object literal, where a plain `__proto__` would set the prototype, in quotes too. */
export function literalKey(name: string): string {
  return name === "__proto__" ? '["__proto__"]' : propertyName(name);
}
