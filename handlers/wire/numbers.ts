import { z } from "./zod.ts";

const MAX_UINT64 = 2n ** 64n - 1n;

/** A signed number of which all 64 bits count. */
export const Int64 = z.union([z.bigint(), z.int()]);
export type Int64 = z.output<typeof Int64>;

/** Rows or columns of a terminal: 16 bits, as in the kernel. */
export const TerminalSide = z.int().min(0).max(0xffff);

/** A limit that is a non-negative number as it is, and 2^64-1 for every negative one. Exact in all 64 bits. */
export const UInt64OrMinusOne = z.union([z.bigint(), z.int()]).transform((value) => {
  const exact = BigInt(value);
  return exact < 0n ? MAX_UINT64 : exact;
}).refine((value) => value <= MAX_UINT64, { error: "more than 64 bits" });
export type UInt64OrMinusOne = z.output<typeof UInt64OrMinusOne>;

/** A resource limit as create requests carry it; `type` is `RLIMIT_NOFILE`, `nofile` or `NOFILE`. */
export const WirePOSIXRlimit = z.object({
  type: z.string(),
  hard: UInt64OrMinusOne,
  soft: UInt64OrMinusOne,
});
export type WirePOSIXRlimit = z.output<typeof WirePOSIXRlimit>;
