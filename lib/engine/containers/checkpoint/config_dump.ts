import type { ContainerRecord } from "../../container_record.ts";
import { invalid } from "../failures.ts";
import { decode, encode } from "../../json.ts";

/** The key under which `config.dump` has our own record, beside those that tools for checkpoints read. */
const RECORD = "gantryRecord";

/** `config.dump`: what tools look for, in Podman's names, and the record a restore is made from. */
export function configDump(record: ContainerRecord, runtime: string, time: number): string {
  return JSON.stringify({
    id: record.id,
    name: record.name,
    rootfsImage: record.imageName,
    rootfsImageName: record.imageName,
    rootfsImageID: record.imageID,
    runtime,
    createdTime: new Date(record.created).toISOString(),
    checkpointedTime: new Date(time).toISOString(),
    [RECORD]: encode(record),
  });
}

/** The record of a container that an archive was made of. Throws `invalid` for an archive of another engine. */
export function dumpedRecord(text: string | undefined): ContainerRecord {
  if (text === undefined) throw invalid("Import checkpoint: the archive has no config.dump");
  let record: unknown;
  try {
    record = JSON.parse(text)[RECORD];
  } catch (error) {
    throw invalid(`Import checkpoint: config.dump is not JSON: ${error}`);
  }
  if (typeof record !== "string") throw invalid("Import checkpoint: the archive was made by another engine");
  const dumped = decoded(record);
  // Folders are named by it.
  if (!/^[0-9a-f]{64}$/.test(dumped.id)) throw invalid(`Import checkpoint: "${dumped.id}" is no container ID`);
  return dumped;
}

/** A record with the parts that are read before the create request made of it is checked as all are. */
function decoded(text: string): ContainerRecord {
  let record: unknown;
  try {
    record = decode<unknown>(text);
  } catch (error) {
    throw invalid(`Import checkpoint: the record in config.dump does not parse: ${error}`);
  }
  // Written by `configDump`, or by somebody who may make any container anyway.
  const dumped = record as Partial<ContainerRecord> | null;
  const texts = [dumped?.id, dumped?.name, dumped?.imageName];
  const lists = [dumped?.mounts, dumped?.ports, dumped?.diffIDs];
  const tables = [dumped?.spec, dumped?.spec?.namespaces?.uts, dumped?.networks, dumped?.process];
  const isWhole = texts.every((value) => typeof value === "string") && lists.every(Array.isArray) &&
    tables.every((value) => typeof value === "object" && value !== null);
  if (!isWhole) throw invalid("Import checkpoint: the record in config.dump is not whole");
  return dumped as ContainerRecord;
}
