import { inBatches, secondsOf } from "../calls.ts";
import type { Bench, Line } from "../engine_bench.ts";
import type { Peer } from "../peers.ts";

/** How many of a kind there are when its work is measured: the first is what the others are compared with. */
const COUNTS = [100, 1_000, 10_000];
/** Pieces of work that a figure is the average of. */
const REPEATS = 100;
/** Lists of all: fewer, as each has up to `COUNTS` entries. */
const LISTS = 5;
/** Makers at the same time. */
const AT_ONCE = 4;

/** A kind of thing that a server can have many of. */
interface Kind {
  what: string;
  /** Makes one, whose name has the number. */
  create(server: Peer, number: number): Promise<unknown>;
  /** The pieces of work on one whose number is given, by their names. */
  work: Record<string, (server: Peer, number: number) => Promise<unknown>>;
  /** The path of the list of all. */
  list: string;
  remove(server: Peer, number: number): Promise<unknown>;
}

const query = (values: unknown) => encodeURIComponent(JSON.stringify(values));

/**
 * Measures what the number of containers, images, networks, volumes and events costs a server: each line has Gantry's time with 1,000 or
 * 10,000 of them, and beside it Gantry's own time with 100. A ratio of 1 says that the number costs nothing; lists count for each entry.
 */
export async function* growthLines({ gantry, image }: Bench): AsyncGenerator<Line> {
  for (const kind of kindsWith(image)) yield* linesOf(gantry, kind);
}

function kindsWith(image: string): Kind[] {
  const container = (number: number) => `grown-${number}`;
  const network = (number: number) => `grown-net-${number}`;
  const volume = (number: number) => `grown-volume-${number}`;
  const built = (number: number) => `localhost/grown/image-${number}:latest`;
  return [{
    what: "containers",
    create: (server, number) =>
      server.call("POST", "/containers/create", {
        name: container(number),
        image,
        command: ["/bin/true"],
        netns: { nsmode: "none" },
      }),
    work: {
      "inspect": (server, number) => server.call("GET", `/containers/${container(number)}/json`),
      "list by name": (server, number) =>
        server.call("GET", `/containers/json?all=true&filters=${query({ name: [`^${container(number)}$`] })}`),
      "events of one": (server, number) =>
        server.call("GET", `/events?stream=false&filters=${query({ container: [container(number)] })}`),
    },
    list: "/containers/json?all=true",
    remove: (server, number) => server.call("DELETE", `/containers/${container(number)}?force=true&timeout=0`),
  }, {
    what: "images",
    create: async (server, number) => {
      // One container is enough for all of them: each gets an author of its own.
      const { Id } = JSON.parse(await server.call("POST", "/containers/create", { image, command: ["/bin/true"] }));
      const [repo] = built(number).split(":");
      await server.call("POST", `/commit?container=${Id}&repo=${repo}&tag=latest&author=${number}`);
      await server.call("DELETE", `/containers/${Id}?force=true&timeout=0`);
    },
    work: {
      "inspect": (server, number) => server.call("GET", `/images/${encodeURIComponent(built(number))}/json`),
      "list by name": (server, number) =>
        server.call("GET", `/images/json?filters=${query({ reference: [built(number)] })}`),
    },
    list: "/images/json",
    remove: (server, number) => server.call("DELETE", `/images/${encodeURIComponent(built(number))}`),
  }, {
    what: "networks",
    create: (server, number) =>
      // Subnets of one's own: the pools from which a server chooses have room for 2,048.
      server.call("POST", "/networks/create", {
        name: network(number),
        driver: "bridge",
        subnets: [{ subnet: `100.${64 + (number >> 8)}.${number & 255}.0/24` }],
      }),
    work: {
      "inspect": (server, number) => server.call("GET", `/networks/${network(number)}/json`),
      "list by name": (server, number) =>
        server.call("GET", `/networks/json?filters=${query({ name: [`^${network(number)}$`] })}`),
    },
    list: "/networks/json",
    remove: (server, number) => server.call("DELETE", `/networks/${network(number)}`),
  }, {
    what: "volumes",
    create: (server, number) => server.call("POST", "/volumes/create", { Name: volume(number) }),
    work: {
      "inspect": (server, number) => server.call("GET", `/volumes/${volume(number)}/json`),
      "list by name": (server, number) =>
        server.call("GET", `/volumes/json?filters=${query({ name: [`^${volume(number)}$`] })}`),
    },
    list: "/volumes/json",
    remove: (server, number) => server.call("DELETE", `/volumes/${volume(number)}`),
  }];
}

async function* linesOf(server: Peer, kind: Kind): AsyncGenerator<Line> {
  const firstTimes = new Map<string, number>();
  let made = 0;
  for (const count of COUNTS) {
    // The last of them are made one by one, and timed.
    const crowd = Array.from({ length: count - made - REPEATS }, (_, i) => made + i);
    await inBatches(crowd, AT_ONCE, (number) => kind.create(server, number));
    const measured = Array.from({ length: REPEATS }, (_, i) => count - REPEATS + i);
    const times = new Map<string, number>();
    const time = async (what: string, works: number, work: () => Promise<void>) => {
      times.set(what, await secondsOf(work) * 1000 / works);
    };
    const each = (work: (number: number) => Promise<unknown>) => async () => {
      for (const number of measured) await work(number);
    };
    await time("create", REPEATS, each((number) => kind.create(server, number)));
    for (const [what, work] of Object.entries(kind.work)) {
      await time(what, REPEATS, each((number) => work(server, number)));
    }
    await time("list, for each entry", LISTS * count, async () => {
      for (let i = 0; i < LISTS; i++) await server.call("GET", kind.list);
    });
    await time(
      "remove and create",
      REPEATS,
      each(async (number) => {
        await kind.remove(server, number);
        await kind.create(server, number);
      }),
    );
    made = count;
    for (const [what, gantry] of times) {
      const first = firstTimes.get(what);
      if (first === undefined) firstTimes.set(what, gantry);
      else yield { what: `${what}, ${count} ${kind.what}`, unit: "ms", higher: false, gantry, before: first };
    }
  }
  await inBatches(Array.from({ length: made }, (_, i) => i), AT_ONCE, (number) => kind.remove(server, number));
}
