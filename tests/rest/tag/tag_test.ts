import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { encodePathText } from "../../../lib/rest/tag/path_text.ts";
import { parseTag } from "../../../lib/rest/tag/tag.ts";
import { checkTag } from "../../../lib/rest/tag/tag_checker.ts";

Deno.test("checkTag() takes a whole tag apart", () => {
  const tag = checkTag("PUT(application/json) /a/{b=%v}/{c*=%[3]v}/{d}.json?e=%v&f=g&%v&h (i,j) k,l");
  assertEquals(tag.problems, []);
  assertEquals([tag.method, tag.contentType], ["PUT", "application/json"]);
  assertEquals(tag.segments, [
    { parts: ["a"], remainder: false },
    { parts: [{ name: "b", source: { argument: 0 }, column: 29 }], remainder: false },
    { parts: [{ name: "c", source: { argument: 2 }, column: 37 }], remainder: true },
    { parts: [{ name: "d", source: { field: ["d"] }, column: 45 }, ".json"], remainder: false },
  ]);
  assertEquals(tag.query, [
    { type: "named", name: "e", source: { argument: 3 }, column: 55 },
    { type: "constant", name: "f", value: "g" },
    { type: "spread", source: { argument: 4 }, column: 62 },
    { type: "named", name: "h", source: { field: ["h"] }, column: 65 },
  ]);
  assertEquals([tag.argumentRules, tag.resultRules], [["i", "j"], ["k", "l"]]);
});

Deno.test("checkTag() counts on from %[n]v as printf does", () => {
  const tag = checkTag("GET /%[2]v/%v/%[1]v");
  assertEquals(tag.problems, []);
  assertEquals(tag.segments.map(({ parts: [part] }) => typeof part === "object" && part.source), [
    { argument: 1 },
    { argument: 2 },
    { argument: 0 },
  ]);
});

Deno.test("checkTag() takes a verb as a whole segment, a partial one, and in a query", () => {
  const tag = checkTag("GET /x/%v/v%v.txt?q=%v");
  assertEquals(tag.problems, []);
  assertEquals(tag.segments.map(({ parts }) => parts.map((part) => typeof part === "string" ? part : part.name)), [
    ["x"],
    ["arg1"],
    ["v", "arg2", ".txt"],
  ]);
});

Deno.test("checkTag() keeps a slash at the end and the bare root", () => {
  assertEquals(checkTag("GET /").segments, [{ parts: [], remainder: false }]);
  assertEquals(checkTag("GET /a/").segments, [{ parts: ["a"], remainder: false }, { parts: [], remainder: false }]);
});

Deno.test("checkTag() reads nested names and constants with encodings", () => {
  const tag = checkTag("GET /{A.b}/%7Ex?a%20b=c+d");
  assertEquals(tag.problems, []);
  assertEquals(tag.segments[0], {
    parts: [{ name: "A.b", source: { field: ["A", "b"] }, column: 7 }],
    remainder: false,
  });
  assertEquals(tag.query, [{ type: "constant", name: "a b", value: "c d" }]);
});

const wrong: [tag: string, column: number, message: string][] = [
  ["", 1, "begins with a method"],
  ["get /x", 1, "begins with a method"],
  ["GET", 4, "a path follow"],
  ["GET(text/plain /x", 4, "no closing bracket"],
  ["GET(text) /x", 5, "not a content type"],
  ["GET x", 5, "begins with a slash"],
  ["GET /a//b", 8, "empty"],
  ["GET /a/../b", 8, "never arrives"],
  ["GET /{a=%v", 6, "not closed"],
  ["GET /a}", 7, "no opening one"],
  ["GET /{a=%d}", 9, "expected %v"],
  ["GET /{a=%[0]v}", 9, "expected %v"],
  ["GET /{a=%vx}", 11, "behind the equals sign"],
  ["GET /{=%v}", 7, "not a name"],
  ["GET /{a=%v}{b=%v}", 12, "touch"],
  ["GET /{a*=%v}.json", 6, "whole segments"],
  ["GET /{a=%v}/{a=%v}", 14, "stands twice"],
  ["GET /a%zz", 7, "percent sign"],
  ["GET /?a=%v&", 12, "empty"],
  ["GET /?=%v", 7, "no name"],
  ["GET /?a=%v&a=%v", 12, "stands twice"],
  ["GET /?%vx", 9, "behind a spread"],
  ["POST / (a", 8, "not closed"],
  ["POST / (a,a)", 11, "stands twice"],
  ["POST / (a)b", 11, "one space"],
  ["POST / (a,)", 11, "not a name"],
  ["POST / ", 7, "ends with a space"],
];

Deno.test("checkTag() points at what is wrong", () => {
  for (const [tag, column, message] of wrong) {
    const found = checkTag(tag).problems.find((problem) => problem.message.includes(message));
    assertEquals([tag, found?.column], [tag, column], JSON.stringify(checkTag(tag).problems));
  }
});

Deno.test("checkTag() lists all problems of a tag", () => {
  const messages = checkTag("get /a//{b=%d}?x=%v& (c,c)").problems.map((problem) => problem.message).join("; ");
  for (const part of ["method", "empty", "expected %v", "part of the query", "twice"]) {
    assertStringIncludes(messages, part);
  }
});

Deno.test("checkTag() never throws, whatever the text", () => {
  const pieces = [
    "GET",
    " ",
    "/",
    "{",
    "}",
    "%v",
    "%",
    "[",
    "]",
    "=",
    "*",
    "?",
    "&",
    "(",
    ")",
    ",",
    "a",
    "é",
    ".",
    "%2",
    "\0",
    "%[99]v",
  ];
  let seed = 7;
  const next = (n: number) => (seed = (seed * 48271) % 2147483647) % n;
  for (let i = 0; i < 20000; i++) {
    const text = Array.from({ length: next(24) }, () => pieces[next(pieces.length)]).join("");
    const tag = checkTag(text);
    if (tag.problems.length === 0) assertSame(text);
    assert(tag.problems.every((problem) => problem.column >= 1 && problem.column <= text.length + 1), text);
  }
  assert(checkTag("GET /" + "a".repeat(5000)).problems.length === 1);
});

/** Both readings of a tag are one, but for the columns. */
function assertSame(text: string): void {
  const strip = (_key: string, value: unknown) =>
    typeof value === "object" && value !== null && "column" in value ? { ...value, column: undefined } : value;
  const { problems: _problems, columns: _columns, ...checked } = checkTag(text);
  assertEquals(JSON.stringify(parseTag(text)), JSON.stringify(checked, strip), text);
}

Deno.test("parseTag() reads every good tag as checkTag() does", () => {
  const paths = [
    "/",
    "/a",
    "/a/",
    "/%v",
    "/{a=%v}/b",
    "/{a}/{b.c}",
    "/x/{n*=%v}/json",
    "/{n*}",
    "/{i=%v}.json",
    "/%2F/v%v-%[2]v",
  ];
  const queries = ["", "?%v", "?a=%v&b=%[2]v", "?a=b&c", "?a.b&%[3]v&d=e+f%26", "?x="];
  const rules = ["", " (a)", " (a,b) c", " (a, b) c, d", " c", " ()"];
  for (const head of ["GET", "POST(text/plain)", "PUT(application/vnd.x+json; a=b)"]) {
    for (const path of paths) {
      for (const query of queries) for (const rule of rules) assertSame(`${head} ${path}${query}${rule}`);
    }
  }
});

Deno.test("encodePathText() writes what new URL would, and leaves alone what is encoded", () => {
  const rows = [
    ["a.b", "a.b"],
    ["..", ".."],
    ["a b", "a%20b"],
    ["%20%5b", "%20%5b"],
    ["é😀", "%C3%A9%F0%9F%98%80"],
    ["[a]|~!$&'()*+,;=:@", "[a]|~!$&'()*+,;=:@"],
    ['"<>`^\\', "%22%3C%3E%60%5E%5C"],
  ];
  for (const [text, written] of rows) assertEquals(encodePathText(text), written);
});

Deno.test("parseTag() throws for what has not the outline of a tag", () => {
  for (const text of ["", "get /", "GET", "GET x"]) assertThrows(() => parseTag(text), SyntaxError);
});
