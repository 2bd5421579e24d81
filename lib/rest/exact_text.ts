import type { Codec } from "./codec.ts";
import { isScalar } from "./kind.ts";
import { describeKind, readScalar, writeScalar } from "./scalar_text.ts";

/** `text/plain` for every kind of scalar: times are RFC 3339, bytes are base64. */
export const exactText: Codec = {
  type: "text/plain",
  header: "text/plain;charset=UTF-8",
  carries: isScalar,
  encode: writeScalar,
  decode(body, { kind }) {
    const value = readScalar(body, kind);
    if (value === undefined) throw new SyntaxError(`expected ${describeKind(kind)}`);
    return value;
  },
};
