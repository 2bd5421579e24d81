/**
 * Boots the tests' virtual machine, runs a script in it as a service of its systemd, and returns when the machine is off.
 *
 * @module
 */
import type { MachineFiles } from "./machine_disk.ts";

/** The exit code of a script that has the machine boot again, and is run again. */
export const BOOT_AGAIN = 194;

/** How a machine is booted. */
export interface BootOptions {
  /** Run by bash, as root, under systemd; `/mnt/run` is {@linkcode folder}, and `$BOOT` counts the boots. */
  readonly script: string;
  /** Whether the script may end with {@linkcode BOOT_AGAIN}; otherwise a machine that boots again by itself has ended. */
  readonly mayBootAgain?: boolean;
  /** A folder of this machine that the script may write to. */
  readonly folder: string;
  /** Folders of this machine that the script reads, by the name of their share (9p). */
  readonly shares: Readonly<Record<string, string>>;
  /** Takes the script's output as it comes. */
  print(text: string): void;
  /** Minutes after which the machine is switched off, whatever it does. */
  readonly minutes: number;
}

/**
 * Boots, and resolves with the script's exit code; `undefined` where the machine ended before the script did. Disks keep what is written
 * from one boot to the next.
 */
export async function runInMachine(files: MachineFiles, options: BootOptions): Promise<number | undefined> {
  const { folder, shares, script, print, minutes, mayBootAgain = false } = options;
  const ending = "== the machine's script ended with ";
  await Deno.writeTextFile(
    `${folder}/inside.sh`,
    `${mountShares(shares)}
export BOOT=$(($(cat /mnt/run/boots 2>/dev/null || echo 0) + 1))
echo $BOOT > /mnt/run/boots
(
${script}
)
code=$?
if [ $code = ${BOOT_AGAIN} ]; then echo reboot > /run/gantry-next; else echo "${ending}$code"; fi
`,
  );
  const share = (name: string, path: string, readonly: "on" | "off") => [
    ...["-virtfs", `local,path=${path},mount_tag=${name},security_model=none,readonly=${readonly}`],
  ];
  const child = new Deno.Command("qemu-system-x86_64", {
    args: [
      // The emulated processor is slow and always works; one that is not emulated may be of a machine that cannot lend it.
      ...["-accel", "tcg", "-cpu", "max", "-m", "4096", "-smp", "2", ...mayBootAgain ? [] : ["-no-reboot"]],
      ...["-kernel", files.kernel, "-initrd", files.initrd, "-append", "root=/dev/vda rw console=ttyS0 quiet"],
      // Writes go to a file that is forgotten with the machine.
      ...["-drive", `file=${files.disk},if=virtio,format=raw,snapshot=on`],
      ...share("run", folder, "off"),
      ...Object.entries(shares).flatMap(([name, path]) => share(name, path, "on")),
      ...["-nic", "none", "-display", "none", "-monitor", "none"],
      ...["-serial", `file:${folder}/console.log`, "-serial", "stdio"],
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const limit = setTimeout(() => child.kill("SIGKILL"), minutes * 60_000);
  let tail = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    print(text);
    tail = (tail + text).slice(-1024);
  }
  clearTimeout(limit);
  await child.status;
  const code = tail.split(ending).at(1);
  return code === undefined ? undefined : Number.parseInt(code);
}

/** The shell's words that mount shares at `/mnt/NAME`. */
function mountShares(shares: Readonly<Record<string, string>>): string {
  const options = "trans=virtio,version=9p2000.L,ro,msize=262144,cache=loose";
  return Object.keys(shares).map((name) => `mkdir -p /mnt/${name}; mount -t 9p -o ${options} ${name} /mnt/${name}`)
    .join("\n");
}
