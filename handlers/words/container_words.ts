/** Words about the operations on containers, their commands, files and pods. */
export const CONTAINER_WORDS: Readonly<Record<string, string>> = {
  CreateContainer:
    "Makes a container of an image that is here, and answers its ID. It does not run until it is started. Only `image` is needed; without `command` the image's own is run.",
  ListContainers: "Lists the containers that run; with `all` those that do not, too.",
  PruneContainers: "Removes the containers that do not run. Those of pods stay.",
  GetContainer: "Tells everything about a container: its configuration, state, mounts, networks and ports.",
  ContainerExists: "Answers 204 where there is such a container, and 404 where not.",
  InitContainer:
    "Prepares a container up to the moment before its command: mounts and networks are there, and a start is the rest.",
  StartContainer: "Starts a container. One that runs already answers 304.",
  StopContainer:
    "Asks a container to end, and kills it where it has not within the timeout. One that does not run answers 304.",
  RestartContainer: "Stops a container, and starts it again.",
  KillContainer: "Sends a signal to a container's first process.",
  PauseContainer: "Freezes all processes of a container.",
  UnpauseContainer: "Lets a frozen container go on.",
  WaitContainer: "Answers when a container is in a state: its exit code, as a number.",
  RemoveContainer: "Removes a container. One that runs is an error unless it is forced.",
  LogsFromContainer:
    "Gives what a container has printed, in frames that tell standard output and standard error apart; with `follow` also what comes.",
  AttachContainer:
    "Connects the caller to a container's standard streams: the connection is taken over and carries bytes both ways.",
  AttachWebSocket: "Connects the caller to a container's standard streams over a WebSocket; each message is bytes.",
  ResizeTTY: "Tells a container's terminal its size.",
  RunHealthCheck: "Runs a container's health check now, and tells its outcome.",
  TopContainer: "Lists a container's processes, as ps(1) does.",
  Checkpoint: "Writes the memory and the state of a container's processes to disk, and stops it. CRIU must be there.",
  Restore: "Lets a container go on from its checkpoint, or from an exported one in the body.",
  UpdateContainer: "Changes a container's limits, restart policy and health check, also while it runs.",
  StatsContainer: "Tells what several containers use of processor, memory, network and disks.",
  StatsOneContainer: "Tells what a container uses, in Docker's shape; once, or every second.",
  RenameContainer: "Gives a container another name.",
  CompatCreateContainer:
    "Makes a container of an image that is here, and answers its ID. `Image` is needed; what concerns the host stands in `HostConfig`.",
  ExecCreateHandler:
    "Prepares another command in a container that runs, and answers the ID that starts it: `ExecWebSocket` opens a console for it here.",
  ExecStartHandler:
    "Runs a prepared command. Unless it is detached, the connection is taken over and carries its standard streams.",
  ExecWebSocket:
    "Runs a prepared command with its standard streams over a WebSocket, which a page can open; each message is a frame, or bytes of its terminal. An empty message ends its input.",
  ExecResizeTTY: "Tells the terminal of a command its size.",
  ExecInspectHandler: "Tells of a command whether it runs, and its exit code.",
  ExecRemoveHandler: "Forgets a command. One that runs is an error unless it is forced.",
  ContainerArchiveHead:
    "Tells the facts of a path in a container: JSON in Base64, in the header `X-Docker-Container-Path-Stat`.",
  ContainerArchive: "Gives a file or a folder of a container as a tar archive.",
  PutContainerArchive: "Unpacks a tar archive, plain or compressed, into a folder of a container.",
  ContainerChanges:
    "Lists the paths that differ between a container and its image. Kinds: 0 changed, 1 added, 2 deleted.",
  CommitContainer: "Makes an image of a container's files and configuration.",
  ExportContainer: "Gives all files of a container as a tar archive.",
  MountContainer: "Mounts a container's files on the host, and answers the path.",
  UnmountContainer: "Takes back one mount of a container's files.",
  ShowMountedContainers: "Lists the containers whose files are mounted, with their paths.",
  PodCreate: "Makes a pod: containers that share networks and other namespaces.",
  Pods: "Lists pods with their containers.",
  PodPrune: "Removes the pods that do not run, with their containers.",
  PodStats: "Tells what the containers of pods use.",
  PodInspect: "Tells everything about a pod.",
  PodExists: "Answers 204 where there is such a pod, and 404 where not.",
  PodStart: "Starts all containers of a pod.",
  PodStop: "Stops all containers of a pod.",
  PodRestart: "Stops and starts all containers of a pod.",
  PodKill: "Sends a signal to all containers of a pod.",
  PodPause: "Freezes all containers of a pod.",
  PodUnpause: "Lets all containers of a pod go on.",
  PodTop: "Lists the processes of a pod's containers, as ps(1) does.",
  PodDelete: "Removes a pod with its containers. One that runs is an error unless it is forced.",
};
