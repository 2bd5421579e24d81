import { assertEquals, assertThrows } from "@std/assert";
import { parseTagTemplate } from "../../../../lib/engine/text/logs/tag_template.ts";

const values = { Name: "Web", ID: "0123456789abcdef", ImageName: "busybox" };

Deno.test("parseTagTemplate() fills in fields, with Go's verbs", () => {
  const render = (text: string) => parseTagTemplate(text)(values);
  assertEquals(render("plain"), "plain");
  assertEquals(render("{{.ImageName}}/{{ .Name }}!"), "busybox/Web!");
  assertEquals(render("{{upper .Name}} {{lower .Name}} {{truncate .ID 4}}"), "WEB web 0123");
  assertEquals(render("a } b }} {{.Command}}"), "a } b }} ");
});

Deno.test("parseTagTemplate() refuses what is no field", () => {
  for (const text of ["{{.Name", "{{.Secret}}", "{{range .Name}}", "{{}}", "{{.Name 4}}", "{{truncate .Name}}"]) {
    assertThrows(() => parseTagTemplate(text), SyntaxError, "template parsing error");
  }
});
