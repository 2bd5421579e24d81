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
  // Written by `configDump`, or by somebody who may make any container anyway; the create request is checked as all are.
  const dumped = decode<ContainerRecord>(record);
  // Folders are named by it.
  if (!/^[0-9a-f]{64}$/.test(dumped.id)) throw invalid(`Import checkpoint: "${dumped.id}" is no container ID`);
  return dumped;
}
