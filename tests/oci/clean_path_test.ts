import { assertEquals } from "@std/assert";
import { cleanPath } from "../../lib/oci/clean_path.ts";

Deno.test("cleanPath() makes one path of all that mean the same, and leads nobody out of the root", () => {
  for (const path of ["/a/b", "a/b", "//a///b//", "/./a/./b/.", "/a/c/../b", "/../../a/b", "../a/b"]) {
    assertEquals(cleanPath(path), "/a/b");
  }
  for (const path of ["", "/", ".", "..", "/a/..", "a/../../.."]) assertEquals(cleanPath(path), "/");
  assertEquals(cleanPath("/a/.../..b/c.."), "/a/.../..b/c..");
});
