/** A token (RFC 9110, section 5.6.2), as names of headers and cookies are. */
export const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/** Headers that the transport, `fetch` or the connection sets. */
export const RESERVED =
  /^(accept|connection|content-(encoding|length|type)|expect|host|keep-alive|sec-.*|te|trailer|transfer-encoding|upgrade)$/i;
