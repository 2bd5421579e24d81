import type { ContainerRecord, PortMapping } from "../../records/container_record.ts";
import type { ImageMount } from "../../records/mount_spec.ts";
import { decode, encode } from "../../store/json.ts";
import { STORE_VERSION, upgradeValue } from "../../store/upgrade.ts";
import { isObject } from "../../../oci/json.ts";
import { invalid } from "../../errors.ts";
import { isID } from "../../../oci/digest.ts";

/** More mounts, or ports, than any container has. */
const MOST = 10_000;

/** The key under which `config.dump` has our own record, beside those that tools for checkpoints read. */
const RECORD = "gantryRecord";
/** The key of the version that the record has; absent for version 1. */
const VERSION = "gantryVersion";

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
    [VERSION]: STORE_VERSION,
  });
}

/** The record of a container that an archive was made of. Throws `invalid` for an archive of another engine. */
export function dumpedRecord(text: string | undefined): ContainerRecord {
  if (text === undefined) throw invalid("Import checkpoint: the archive has no config.dump");
  let record: unknown;
  let version: unknown;
  try {
    ({ [RECORD]: record, [VERSION]: version = 1 } = JSON.parse(text));
  } catch (error) {
    throw invalid(`Import checkpoint: config.dump is not JSON: ${error}`);
  }
  if (typeof record !== "string") throw invalid("Import checkpoint: the archive was made by another engine");
  if (!Number.isSafeInteger(version) || Number(version) < 1) {
    throw invalid(`Import checkpoint: the record in config.dump has no version that could be`);
  }
  const dumped = decodeRecord(record, Number(version));
  // Folders are named by it.
  if (!isID(dumped.id)) throw invalid(`Import checkpoint: "${dumped.id}" is no container ID`);
  return dumped;
}

/** A record with the parts that are read before the create request made of it is checked as all are. */
function decodeRecord(text: string, version: number): ContainerRecord {
  let record: unknown;
  try {
    record = decode<unknown>(text);
  } catch (error) {
    throw invalid(`Import checkpoint: the record in config.dump does not parse: ${error}`);
  }
  // Written by `configDump`, or by anybody: who imports it did not write it.
  const dumped: Partial<ContainerRecord> | undefined = isObject(record)
    ? upgradeValue("containers", record, version, "the checkpoint")
    : undefined;
  const texts = [dumped?.id, dumped?.name, dumped?.imageName];
  const lists = [dumped?.mounts, dumped?.ports, dumped?.diffIDs];
  const tables = [dumped?.spec, dumped?.spec?.namespaces?.uts, dumped?.networks, dumped?.process];
  const isWhole = texts.every((value) => typeof value === "string") && lists.every(Array.isArray) &&
    tables.every((value) => typeof value === "object" && value !== null);
  if (!isWhole) throw invalid("Import checkpoint: the record in config.dump is not whole");
  const whole = dumped as ContainerRecord;
  if (whole.mounts.length > MOST || whole.ports.length > MOST) {
    throw invalid(`Import checkpoint: the record in config.dump has more than ${MOST} mounts or ports`);
  }
  if (!whole.mounts.every(isMount)) throw invalid("Import checkpoint: a mount of the record in config.dump is none");
  if (!whole.ports.every(isPort)) throw invalid("Import checkpoint: a port of the record in config.dump is none");
  return whole;
}

const MOUNTS = new Set(["bind", "tmpfs", "volume", "overlay", "image", "artifact", "ramfs", "devpts", "mqueue"]);
const PROTOCOLS = new Set(["tcp", "udp", "sctp"]);

/** Whether it is a mount as a create request makes them: parts of it are paths and options that nothing checks again. */
function isMount(mount: { [field in keyof ImageMount]?: unknown } | null): boolean {
  if (typeof mount !== "object" || mount === null) return false;
  const { type, source, destination, options, subPath, image } = mount;
  return MOUNTS.has(String(type)) && isText(source) && isText(destination) && destination.startsWith("/") &&
    Array.isArray(options) && options.every(isText) && (subPath === undefined || isText(subPath)) &&
    (type !== "image" || isObject(image) && Array.isArray(image.diffIDs) && image.diffIDs.every(isText));
}

function isPort(port: Partial<PortMapping> | null): boolean {
  if (typeof port !== "object" || port === null) return false;
  const { hostIP, hostPort, containerPort, protocol, range } = port;
  const isNumber = (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65535;
  return isText(hostIP) && PROTOCOLS.has(String(protocol)) && [hostPort, containerPort, range].every(isNumber);
}

/** A text that no part of the kernel reads otherwise than it is meant. */
function isText(value: unknown): value is string {
  return typeof value === "string" && !value.includes("\0") && value.length <= 4096;
}
