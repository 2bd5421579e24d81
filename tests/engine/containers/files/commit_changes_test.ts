import { assertEquals } from "@std/assert";
import { splitChanges } from "../../../../lib/engine/containers/files/commit_changes.ts";

Deno.test("splitChanges() takes instructions as clients write them", () => {
  const cases: [string, string[]][] = [
    ["CMD /bin/bar\nEXPOSE 9090", ["CMD /bin/bar", "EXPOSE 9090"]],
    ["CMD=/bin/foo", ["CMD /bin/foo"]],
    ['CMD ["a", "b=c"]', ['CMD ["a", "b=c"]']],
    ['ENV A=1 B="two words" C=it\\ is', ["ENV A=1", "ENV B=two words", "ENV C=it is"]],
    ["ENV NAME some long value", ["ENV NAME=some long value"]],
    ["ENV=A=1", ["ENV A=1"]],
    ['LABEL a=b c="d e"', ["LABEL a=b", "LABEL c=d e"]],
    ["EXPOSE 80 443/udp", ["EXPOSE 80", "EXPOSE 443/udp"]],
    ["LABEL a=b \\\n c=d", ["LABEL a=b", "LABEL c=d"]],
    ["  \n", []],
    ["NONSENSE", ["NONSENSE"]],
  ];
  for (const [text, expected] of cases) assertEquals(splitChanges([text]), expected, text);
});
