import { assertEquals } from "@std/assert";
import type { NetworkRecord } from "../../../../lib/engine/records/network_record.ts";
import { findSubnet, parseSubnet } from "../../../../lib/engine/text/ip.ts";
import type { Reservation } from "../../../../lib/platform/linux/networks/notes.ts";
import { reservedNetwork } from "../../../../lib/platform/linux/networks/subnets.ts";
import { TakenPlaces } from "../../../../lib/platform/linux/networks/taken_places.ts";

const pick = (most: number) => Math.floor(Math.random() * most);
const ALL = parseSubnet("0.0.0.0/0");

Deno.test("TakenPlaces has what host, notes and records have at each moment, whatever came, went or changed", () => {
  const taken = new TakenPlaces();
  const notes = new Map<string, Reservation>();
  let records: NetworkRecord[] = [];
  let host = new Set<string>();
  for (let round = 0; round < 800; round++) {
    const name = `gantry${pick(12)}`;
    const subnets = Array.from({ length: pick(3) }, () => `10.9.${pick(6)}.0/24`);
    const note = { interface: name, root: `/root${pick(3)}`, subnet: subnets[0] ?? "", subnets };
    const what = pick(5);
    if (what === 0) {
      const after = pick(3) > 0 ? note : undefined;
      taken.setNote(notes.get(name), after);
      if (after) notes.set(name, after);
      else notes.delete(name);
    } else if (what === 1) taken.setHost({ interfaces: new Set(), subnets: host = new Set(subnets) });
    else if (what === 2) records = [...records, reservedNetwork(note)];
    // Another record of the same network, and an end.
    else if (what === 3) {
      records = records.map((record, i) => i === 0 ? { ...record, subnets: reservedNetwork(note).subnets } : record);
    } else records = records.filter(() => pick(4) > 0);
    taken.setRecords(round % 7 === 0 ? [...records, ...records.slice(0, 2)] : records);

    const texts = [
      ...host,
      ...[...notes.values()].flatMap(({ subnets = [] }) => subnets),
      ...records.flatMap((record) => record.subnets.map(({ subnet }) => subnet)),
    ];
    const wanted = [...new Set(texts)].map((text) => findSubnet(text)!.first).sort();
    assertEquals([...taken.subnets.within(ALL)].map(({ first }) => first).sort(), wanted);
    assertEquals(taken.roots().sort(), [...new Set([...notes.values()].map(({ root }) => root))].sort());
    const bridges = new Set(records.map((record) => record.interface));
    for (let i = 0; i < 12; i++) assertEquals(taken.hasBridge(`gantry${i}`), bridges.has(`gantry${i}`));
  }
});
