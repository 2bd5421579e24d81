import { type Codec, codecsOf } from "../../codecs/codec.ts";
import { argumentPlaces } from "../../headers/places.ts";
import { declaredErrors } from "../../plan/declared_errors.ts";
import { knownKind } from "../../plan/exact_kinds.ts";
import { type Kind, needsRevival } from "../../plan/kind.ts";
import type { BodyPlan, Plan, Target } from "../../plan/plan_types.ts";
import { type Described, ownPrefix } from "../described.ts";

/** A kind as the client module knows it: what text and JSON must be made into. `any` passes as it is. */
export type WireKind =
  | "string"
  | "boolean"
  | "number"
  | "int64"
  | "uint64"
  | "time"
  | "bytes"
  | "null"
  | "any"
  | { readonly choice: readonly WireKind[] }
  | { readonly list: WireKind; readonly items?: readonly WireKind[] }
  | { readonly map: WireKind }
  /** A struct, by its place in the table of kinds: structs can hold themselves. */
  | { readonly struct: number };

/** The place of a value in the arguments: the argument's number, then the names within. */
export type WirePlace = readonly [argument: number, ...path: string[]];

/** A field of a form. */
export interface WireField {
  readonly name: string;
  /** The name of its parts. */
  readonly part: string;
  readonly kind: WireKind;
  /** Whether it is a list, each part an item of it; one that is `needed` is empty where there is none. */
  readonly list?: "needed" | "optional";
}

/** An operation as the client module knows it. */
export interface WireOperation {
  readonly name: string;
  readonly method: string;
  /** Text of the path and, in between, the places of its values; a remainder has a star in front. */
  readonly path: readonly (string | WirePlace | readonly ["*", ...WirePlace])[];
  readonly query: readonly (readonly [name: string, ...WirePlace])[];
  /** Arguments each entry of which is a query parameter. */
  readonly maps: readonly number[];
  readonly constants: readonly (readonly [name: string, value: string])[];
  /** Arguments in headers; cookies are the browser's own. */
  readonly headers?: readonly (readonly [name: string, argument: number])[];
  /** How many arguments there are. */
  readonly count: number;
  readonly body?: {
    readonly shape: "value" | "fields" | "list" | "stream";
    readonly arguments: readonly number[];
    readonly names: readonly string[];
    readonly type: string;
    /** Whether a Blob's own type may stand instead. */
    readonly free?: true;
    /** Whether the stream is a channel: values to be written as lines. */
    readonly lines?: true;
  };
  readonly result: {
    readonly shape: "none" | "value" | "fields" | "list" | "stream" | "channel";
    readonly names: readonly string[];
    readonly type: string;
    readonly kind: WireKind;
    /** The fields that a returned form is read into. */
    readonly fields?: readonly WireField[];
    /** How many results there are, the error left out. */
    readonly count: number;
    readonly fallible?: true;
  };
  /** The errors that it declares: statuses, each with the kind of its body where that has a schema. */
  readonly errors?: readonly (readonly [status: number, kind?: WireKind])[];
}

/** The data that the client module is generated from. */
export interface ClientTable {
  readonly operations: readonly WireOperation[];
  /** The fields of structs; those that pass as they are left out. */
  readonly structs: readonly Readonly<Record<string, WireKind>>[];
}

/**
 * Makes the table of operations: plans without schemas.
 *
 * @param shared The path that all bases have in common, which the address of a server has
 */
export function clientTable(all: readonly Described[], shared = ""): ClientTable {
  const kinds = new Kinds();
  const operations = all.map((described) => wireOperation(described, ownPrefix(described, shared), kinds));
  return { operations, structs: kinds.structs };
}

function wireOperation({ id: name, plan, definition }: Described, prefix: string, kinds: Kinds): WireOperation {
  const { body, result } = plan;
  const headers = argumentPlaces(plan).filter(({ type }) => type === "header");
  const errors = [...declaredErrors(plan).values()].map(({ status, schema }) =>
    schema ? [status, kinds.of(knownKind(schema))] as const : [status] as const
  );
  return {
    name,
    method: plan.method,
    path: wirePath(plan, prefix),
    query: plan.query.filter(({ followed }) => !followed)
      .map((parameter) => [parameter.name, ...placeOf(parameter)] as const),
    maps: plan.spreads.flatMap(({ argument, value }) => value === undefined ? [] : [argument]),
    constants: plan.constants,
    ...(headers.length > 0 && { headers: headers.map(({ name, index }) => [name, index] as const) }),
    count: plan.arguments.length,
    ...(body !== undefined && {
      body: {
        shape: body.shape,
        arguments: body.arguments,
        names: body.names,
        type: sentType(plan, body, codecsOf(definition.options.codecs)),
        ...(body.shape === "stream" && !body.tagged && !body.item && { free: true as const }),
        ...(body.item && { lines: true as const }),
      },
    }),
    result: {
      shape: result.shape,
      names: result.names,
      type: result.contentType,
      kind: kinds.of(result.kind),
      count: result.schemas.length,
      ...(/^(multipart\/form-data|application\/x-www-form-urlencoded)/.test(result.contentType) &&
        { fields: kinds.fields(result.kind) }),
      ...(result.fallible && { fallible: true as const }),
    },
    ...(errors.length > 0 && { errors }),
  };
}

/** The content type that the module sends a body as: JSON, which the server takes too, in place of one that it cannot write, such as XML. */
function sentType({ asTagged }: Plan, { shape, contentType, kind }: BodyPlan, codecs: readonly Codec[]): string {
  const written = /json|^multipart\/form-data|^application\/x-www-form-urlencoded/;
  const isText = contentType.startsWith("text/") && !/^(?:struct|map|list|choice)$/.test(kind.type);
  const json = codecs.find(({ type }) => type === "application/json");
  return shape === "stream" || asTagged || written.test(contentType) || isText || !json?.carries(kind)
    ? contentType
    : json.type;
}

function placeOf({ argument, path }: Target): WirePlace {
  return [argument, ...path];
}

function wirePath(plan: Plan, prefix: string): WireOperation["path"] {
  let index = 0;
  const path: WireOperation["path"][number][] = prefix === "" ? [] : [prefix];
  const text = (more: string) => {
    const last = path.at(-1);
    if (typeof last === "string") path[path.length - 1] = last + more;
    else path.push(more);
  };
  const next = () => {
    const parameter = plan.parameters[index++];
    path.push(parameter.remainder ? ["*", ...placeOf(parameter)] : placeOf(parameter));
  };
  for (const segment of plan.segments) {
    text("/");
    if (segment.type === "literal") text(segment.text);
    else if (segment.type === "partial") {
      for (const part of segment.parts) "text" in part ? text(part.text) : next();
    } else next();
  }
  return path.length === 0 ? ["/"] : path;
}

class Kinds {
  readonly structs: Record<string, WireKind>[] = [];
  readonly #seen = new Map<Kind, number>();

  of(kind: Kind): WireKind {
    switch (kind.type) {
      case "string":
      case "boolean":
      case "number":
      case "int64":
      case "uint64":
      case "time":
      case "bytes":
      case "null":
        return kind.type;
      case "text":
        return "string";
      case "choice":
        return { choice: kind.of.map((part) => this.of(part)) };
      case "list":
        return needsRevival(kind)
          ? { list: this.of(kind.item), ...(kind.items && { items: kind.items.map((item) => this.of(item)) }) }
          : "any";
      case "map":
        return needsRevival(kind) ? { map: this.of(kind.value) } : "any";
      case "struct":
        return needsRevival(kind) ? { struct: this.#struct(kind) } : "any";
      default:
        return "any";
    }
  }

  /** The fields of a struct that is a form. */
  fields(kind: Kind): WireField[] {
    if (kind.type !== "struct") return [];
    return [...kind.fields].map(([name, { kind, alias, required }]) => ({
      name,
      part: alias ?? name,
      kind: this.of(kind.type === "list" ? kind.item : kind),
      ...(kind.type === "list" && { list: required ? "needed" as const : "optional" as const }),
    }));
  }

  #struct(kind: Kind & { type: "struct" }): number {
    const known = this.#seen.get(kind);
    if (known !== undefined) return known;
    const index = this.structs.push({}) - 1;
    this.#seen.set(kind, index);
    for (const [name, field] of kind.fields) {
      if (needsRevival(field.kind)) this.structs[index][name] = this.of(field.kind);
    }
    return index;
  }
}
