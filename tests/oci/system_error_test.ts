import { assertEquals } from "@std/assert";
import { hasSystemCode, isFullDisk } from "../../lib/oci/system_error.ts";

function systemError(code: string): Error {
  return Object.assign(new Error("write"), { code });
}

Deno.test("hasSystemCode() takes errors with one of the codes only", async () => {
  assertEquals(hasSystemCode(systemError("ENOENT"), "ENOTDIR", "ENOENT"), true);
  assertEquals(hasSystemCode(systemError("EACCES"), "ENOTDIR", "ENOENT"), false);
  assertEquals(hasSystemCode(systemError("ENOENT")), false);
  for (const thrown of [undefined, null, "ENOENT", { code: "ENOENT" }, new Error("ENOENT")]) {
    assertEquals(hasSystemCode(thrown, "ENOENT"), false, String(thrown));
  }
  const missing = await Deno.readFile("/nowhere/at/all").catch((error) => error);
  assertEquals(hasSystemCode(missing, "ENOENT"), true);
});

Deno.test("isFullDisk() knows a full disk by its code, and by the words of Deno, SQLite and programs", () => {
  const full = [
    systemError("ENOSPC"),
    systemError("EDQUOT"),
    new Error("No space left on device (os error 28)"),
    new Error("tar: a: Wrote only 512 of 10240 bytes"),
    new Error("database or disk is full"),
    new Error("Unpack", { cause: new Error("read", { cause: systemError("ENOSPC") }) }),
  ];
  for (const error of full) assertEquals(isFullDisk(error), true, error.message);
  for (const other of [systemError("EIO"), new Error("disk"), "database or disk is full", undefined]) {
    assertEquals(isFullDisk(other), false, String(other));
  }
});
