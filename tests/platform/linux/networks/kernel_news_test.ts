import { assert, assertEquals } from "@std/assert";
import { FolderNews, RouteNews } from "../../../../lib/platform/linux/networks/kernel_news.ts";
import { runOk } from "../../../fixtures/run.ts";

const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;

Deno.test({
  name: "RouteNews.take() tells of interfaces, addresses and routes of both families, of those that nothing uses too",
  ignore,
  async fn() {
    using news = new RouteNews();
    assert(news.take(), "nothing was read before");
    const link = "gantry-news";
    const changes = [
      ["link", "add", link, "type", "bridge"],
      ["address", "add", "10.99.8.1/24", "dev", link],
      ["address", "add", "fd99:8::1/64", "dev", link],
      ["link", "set", link, "up"],
      ["route", "add", "10.96.8.0/24", "dev", link, "table", "7778"],
      ["-6", "route", "add", "fd98:8::/48", "dev", link, "table", "7778"],
      ["route", "add", "blackhole", "10.96.9.0/24", "table", "7778"],
      ["route", "delete", "blackhole", "10.96.9.0/24", "table", "7778"],
      ["address", "delete", "10.99.8.1/24", "dev", link],
      ["link", "set", link, "down"],
      ["link", "set", link, "name", `${link}2`],
      ["link", "delete", `${link}2`],
    ];
    try {
      for (const change of changes) {
        // Other programs of this machine may change something meanwhile, but not all the time.
        while (news.take());
        await runOk(["ip", ...change]);
        assert(news.take(), change.join(" "));
      }
    } finally {
      for (const name of [link, `${link}2`]) await runOk(["ip", "link", "delete", name]).catch(() => {});
    }
  },
});

Deno.test({
  name: "RouteNews.take() tells of changes that were more than fit into the kernel's memory for it",
  ignore,
  async fn() {
    using news = new RouteNews();
    news.take();
    const link = "gantry-many";
    await runOk(["ip", "link", "add", link, "type", "bridge"]);
    try {
      while (news.take());
      const batch = Array.from(
        { length: 400 },
        (_, i) => `route add 10.95.${i >> 8}.${i & 255}/32 dev ${link} table 7779`,
      );
      await runOk(["ip", "link", "set", link, "up"]);
      await runOk(["ip", "-batch", "-"], { stdin: batch.join("\n") });
      assert(news.take());
      while (news.take());
      await runOk(["ip", "route", "flush", "table", "7779"]);
      assert(news.take(), "after an overflow it hears again");
    } finally {
      await runOk(["ip", "link", "delete", link]);
    }
  },
});

Deno.test({
  name: "FolderNews.take() names what came, went, changed, was linked and took a name, once for each event",
  ignore,
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "gantry-test-" });
    using news = new FolderNews();
    try {
      await Deno.writeTextFile(`${folder}/before`, "1");
      assertEquals(news.take(folder), undefined, "nothing was read before");
      assertEquals(news.take(folder), []);
      await Deno.writeTextFile(`${folder}/one`, "1");
      await Deno.writeTextFile(`${folder}/before`, "2");
      assertEquals(news.take(folder), ["one", "one", "before"], "it was made, and written");
      await Deno.rename(`${folder}/one`, `${folder}/two`);
      await Deno.remove(`${folder}/before`);
      assertEquals(news.take(folder), ["one", "two", "before"]);
      assertEquals(news.take(folder), []);
      await Deno.symlink("two", `${folder}/soft`);
      await Deno.link(`${folder}/two`, `${folder}/hard`);
      assertEquals(news.take(folder), ["soft", "hard"]);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "FolderNews.take() knows that a path leads to another folder, and tells of each folder apart",
  ignore,
  async fn() {
    const parent = await Deno.makeTempDir({ prefix: "gantry-test-" });
    using news = new FolderNews();
    try {
      const [one, two] = [`${parent}/in/one`, `${parent}/in/two`];
      for (const folder of [one, two]) await Deno.mkdir(folder, { recursive: true });
      assertEquals([news.take(one), news.take(two)], [undefined, undefined]);
      await Deno.writeTextFile(`${two}/file`, "");
      assertEquals([news.take(one), news.take(two)], [[], ["file", "file"]]);
      // The folder itself is not touched: another one above it takes its path.
      await Deno.rename(`${parent}/in`, `${parent}/old`);
      assertEquals(news.take(one), undefined);
      await Deno.mkdir(one, { recursive: true });
      assertEquals([news.take(one), news.take(one)], [undefined, []]);
      await Deno.remove(one);
      assertEquals(news.take(one), undefined);
      await Deno.mkdir(one);
      assertEquals([news.take(one), news.take(one)], [undefined, []]);
      await Deno.writeTextFile(`${one}/new`, "");
      assertEquals(news.take(one), ["new", "new"]);
    } finally {
      await Deno.remove(parent, { recursive: true });
    }
  },
});

Deno.test({
  name: "FolderNews.take() keeps no news without end of a folder that nobody asks for",
  ignore,
  async fn() {
    const parent = await Deno.makeTempDir({ prefix: "gantry-test-" });
    using news = new FolderNews();
    try {
      const [one, two] = [`${parent}/one`, `${parent}/two`];
      for (const folder of [one, two]) await Deno.mkdir(folder);
      assertEquals([news.take(one), news.take(two)], [undefined, undefined]);
      // Each tells that it came and that it was written, less than the kernel keeps by itself.
      for (let i = 0; i < 5001; i++) Deno.writeTextFileSync(`${two}/${i}`, "");
      assertEquals([news.take(one), news.take(two)], [undefined, undefined], "so much is as good as not known");
      Deno.writeTextFileSync(`${two}/0`, "");
      assertEquals([news.take(one), news.take(two)], [[], ["0"]]);
    } finally {
      await Deno.remove(parent, { recursive: true });
    }
  },
});
