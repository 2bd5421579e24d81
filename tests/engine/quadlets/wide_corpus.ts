import type { GoodRow } from "./corpus.ts";

/** Further quadlets that convert, each with many keys of its kind. */
export const WIDE: Readonly<Record<string, GoodRow>> = {
  "addresses and names in networks": {
    name: "web.container",
    text:
      "[Container]\nImage=i\nNetwork=front\nIP=10.89.0.5\nIP6=fd00::5\nNetworkAlias=www\nNetworkAlias=api\nHostName=h.example\nAddHost=a:10.0.0.1\nDNS=1.1.1.1\nDNSSearch=example\nDNSOption=ndots:1\n",
    start:
      "run --name systemd-%N --replace --rm --cgroups=split --ip 10.89.0.5 --ip6 fd00::5 --hostname h.example --network-alias www --network-alias api --dns 1.1.1.1 --dns-option ndots:1 --dns-search example --add-host a:10.0.0.1 --network front --sdnotify=conmon -d i",
    lines: [],
  },
  "limits": {
    name: "web.container",
    text:
      "[Container]\nImage=i\nMemory=64m\nPidsLimit=20\nShmSize=16m\nUlimit=nofile=1:2\nUlimit=nproc=5\nSysctl=a.b=1 c.d=2\n",
    start:
      "run --name systemd-%N --replace --rm --cgroups=split --pids-limit 20 --shm-size 16m --memory 64m --ulimit nofile=1:2 --ulimit nproc=5 --sdnotify=conmon -d --sysctl a.b=1 --sysctl c.d=2 i",
    lines: [],
  },
  "every health key": {
    name: "web.container",
    text:
      "[Container]\nImage=i\nHealthCmd=true\nHealthInterval=5s\nHealthTimeout=2s\nHealthRetries=4\nHealthStartPeriod=1m\nHealthOnFailure=kill\nHealthStartupCmd=true\nHealthStartupInterval=1s\nHealthStartupRetries=2\nHealthStartupSuccess=1\nHealthStartupTimeout=3s\nHealthLogDestination=local\nHealthMaxLogCount=3\nHealthMaxLogSize=100\n",
    start:
      "run --name systemd-%N --replace --rm --cgroups=split --sdnotify=conmon -d --health-cmd true --health-interval 5s --health-on-failure kill --health-log-destination local --health-max-log-count 3 --health-max-log-size 100 --health-retries 4 --health-start-period 1m --health-timeout 2s --health-startup-cmd true --health-startup-interval 1s --health-startup-retries 2 --health-startup-success 1 --health-startup-timeout 3s i",
    lines: [],
  },
  "a root file system of the host": {
    name: "web.container",
    text: "[Container]\nRootfs=/srv/root:O\nExec=/bin/sh\n",
    start: "run --name systemd-%N --replace --rm --cgroups=split --sdnotify=conmon -d --rootfs /srv/root:O /bin/sh",
    lines: [],
  },
  "secrets, devices and groups": {
    name: "web.container",
    text:
      "[Container]\nImage=i\nSecret=a,type=env,target=A\nSecret=b\nAddDevice=/dev/fuse\nGroupAdd=5\nGroupAdd=keep-groups\n",
    start:
      "run --name systemd-%N --replace --rm --cgroups=split --group-add 5 --group-add keep-groups --sdnotify=conmon -d --device /dev/fuse --secret a,type=env,target=A --secret b i",
    lines: [],
  },
  "annotations and labels with quotes": {
    name: "web.container",
    text: "[Container]\nImage=i\nLabel=\"a=b c\" d=e\nLabel=f='g h'\nAnnotation=x.y/z=1\n",
    start:
      'run --name systemd-%N --replace --rm --cgroups=split --sdnotify=conmon -d --label "a=b c" --label d=e --label "f=g h" --annotation x.y/z=1 i',
    lines: [],
  },
  "an update policy and a pull policy": {
    name: "web.container",
    text: "[Container]\nImage=quay.io/a/b:1\nAutoUpdate=registry\nPull=newer\nRetry=3\nRetryDelay=2s\n",
    start:
      "run --name systemd-%N --replace --rm --cgroups=split --pull newer --retry 3 --retry-delay 2s --sdnotify=conmon -d --label io.containers.autoupdate=registry quay.io/a/b:1",
    lines: [],
  },
  "signals, times and zones": {
    name: "web.container",
    text: "[Container]\nImage=i\nStopSignal=SIGINT\nStopTimeout=30\nTimezone=local\nRunInit=yes\n",
    start:
      "run --name systemd-%N --replace --rm --cgroups=split --tz local --stop-signal SIGINT --stop-timeout 30 --init --sdnotify=conmon -d i",
    lines: [],
  },
  "read-only with and without room": {
    name: "web.container",
    text: "[Container]\nImage=i\nReadOnly=yes\nReadOnlyTmpfs=no\nTmpfs=/tmp:size=1m\nVolatileTmp=yes\n",
    start:
      "run --name systemd-%N --replace --rm --cgroups=split --tmpfs /tmp:size=1m --read-only-tmpfs=false --sdnotify=conmon -d --read-only i",
    lines: [],
  },
  "labels of SELinux": {
    name: "web.container",
    text:
      "[Container]\nImage=i\nSecurityLabelType=spc_t\nSecurityLabelFileType=usr_t\nSecurityLabelLevel=s0:c1\nSecurityLabelNested=true\n",
    start:
      "run --name systemd-%N --replace --rm --cgroups=split --sdnotify=conmon -d --security-opt label=nested --security-opt label=type:spc_t --security-opt label=filetype:usr_t --security-opt label=level:s0:c1 i",
    lines: [],
  },
  "a user namespace of its own": {
    name: "web.container",
    text: "[Container]\nImage=i\nUserNS=auto:size=1000\nUser=5\n",
    start:
      "run --name systemd-%N --replace --rm --cgroups=split --sdnotify=conmon -d --user 5 --userns auto:size=1000 i",
    lines: [],
  },
  "a container that is told to be ready": {
    name: "web.container",
    text: "[Container]\nImage=i\nNotify=yes\nLogDriver=journald\nLogOpt=tag=x\nWorkingDir=/srv\nEntrypoint=/bin/run\n",
    start:
      "run --name systemd-%N --replace --rm --log-driver journald --log-opt tag=x --cgroups=split --entrypoint=/bin/run --workdir /srv --sdnotify=container -d i",
    lines: [],
  },
  "a signal that reloads": {
    name: "web.container",
    text: "[Container]\nImage=i\nReloadSignal=SIGHUP\n",
    start: "run --name systemd-%N --replace --rm --cgroups=split --sdnotify=conmon -d i",
    lines: ["ExecReload=/usr/bin/podman kill --signal SIGHUP systemd-%N"],
  },
  "environment of the host": {
    name: "web.container",
    text: "[Container]\nImage=i\nEnvironmentHost=yes\nHttpProxy=no\nEnvironmentFile=/a /b\n",
    start:
      "run --name systemd-%N --replace --rm --cgroups=split --env-host --http-proxy=false --sdnotify=conmon -d --env-file /a --env-file /b i",
    lines: [],
  },
  "a service with settings of its own": {
    name: "web.container",
    text:
      "[Unit]\nDescription=Web\nAfter=a.service\n[Container]\nImage=i\n[Service]\nRestart=always\nTimeoutStartSec=900\nEnvironment=X=1\n[Install]\nWantedBy=multi-user.target\n",
    start: "run --name systemd-%N --replace --rm --cgroups=split --sdnotify=conmon -d i",
    lines: ["Restart=always", "TimeoutStartSec=900", "WantedBy=multi-user.target"],
  },
  "a pod with networks, users and names": {
    name: "p.pod",
    text:
      "[Pod]\nPodName=mine\nServiceName=pod-of-mine\nNetwork=n.network\nNetworkAlias=x\nUserNS=auto\nHostName=h\nDNS=1.1.1.1\nIP=10.0.0.3\nVolume=v.volume:/v\nLabel=a=b\nAddHost=c:1.2.3.4\nShmSize=1m\nExitPolicy=continue\n",
    others: { "n.network": "[Network]\n", "v.volume": "[Volume]\n" },
    start: "pod start mine",
    lines: [
      "Requires=n-network.service",
      "Requires=v-volume.service",
      "ExecStartPre=/usr/bin/podman pod create --infra-conmon-pidfile=%t/%N.pid --replace --exit-policy continue --userns auto --label a=b --network systemd-n --ip 10.0.0.3 --shm-size 1m --hostname h --network-alias x --dns 1.1.1.1 --add-host c:1.2.3.4 -v systemd-v:/v --infra-name mine-infra --name mine",
      "Restart=on-failure",
    ],
  },
  "kube with users, ports and logs": {
    name: "k.kube",
    text:
      "[Kube]\nYaml=/k.yaml\nUserNS=auto\nNetwork=n.network\nPublishPort=80:80\nLogDriver=k8s-file\nExitCodePropagation=all\n",
    others: { "n.network": "[Network]\nNetworkName=net\n" },
    start:
      "kube play --replace --service-container=true --service-exit-code-propagation=all --log-driver k8s-file --userns auto --network net --publish 80:80 /k.yaml",
    lines: ["Requires=n-network.service"],
  },
  "a network with everything": {
    name: "n.network",
    text:
      "[Network]\nNetworkName=net\nDriver=bridge\nIPAMDriver=host-local\nIPv6=true\nDisableDNS=no\nDNS=1.1.1.1\nDNS=2.2.2.2\nSubnet=10.1.0.0/16\nGateway=10.1.0.1\nIPRange=10.1.1.0/24\nInterfaceName=br9\nOptions=mtu=1400 isolate=true\nPodmanArgs=--route 10.2.0.0/16,10.1.0.2\n",
    start:
      "network create --ignore --disable-dns=false --ipv6 --driver bridge --ipam-driver host-local --interface-name br9 --dns 1.1.1.1 --dns 2.2.2.2 --subnet 10.1.0.0/16 --gateway 10.1.0.1 --ip-range 10.1.1.0/24 --opt isolate=true --opt mtu=1400 --route 10.2.0.0/16,10.1.0.2 net",
    lines: [],
  },
  "a tmpfs volume with labels": {
    name: "v.volume",
    text: "[Volume]\nVolumeName=scratch\nDevice=tmpfs\nType=tmpfs\nOptions=size=1m\nLabel=a=b c=d\nCopy=yes\n",
    start:
      "volume create --ignore --opt copy --opt device=tmpfs --opt type=tmpfs --opt o=size=1m --label a=b --label c=d scratch",
    lines: [],
  },
  "an image with credentials": {
    name: "base.image",
    text:
      "[Image]\nImage=quay.io/base\nImageTag=localhost/base\nAllTags=no\nAuthFile=/auth\nCertDir=/certs\nCreds=a:b\nDecryptionKey=/key\nOS=linux\nVariant=v8\nRetryDelay=1s\n",
    start:
      "image pull --os linux --variant v8 --authfile /auth --cert-dir /certs --creds a:b --decryption-key /key --retry-delay 1s --all-tags=false quay.io/base",
    lines: [],
  },
  "a build with volumes, secrets and labels": {
    name: "app.build",
    text:
      "[Build]\nImageTag=localhost/app\nFile=/src/Containerfile\nTarget=final\nAnnotation=a=b\nLabel=c=d\nEnvironment=E=1\nSecret=id=s,src=/s\nVolume=/cache:/cache\nNetwork=host\nForceRM=yes\nGroupAdd=5\nTLSVerify=no\nArch=arm64\nVariant=v8\n",
    start:
      "build --arch arm64 --target final --variant v8 --tls-verify=false --force-rm --group-add 5 --tag localhost/app --env E=1 --label c=d --annotation a=b --network host --secret id=s,src=/s -v /cache:/cache --file /src/Containerfile",
    lines: ["RequiresMountsFor=/cache"],
  },
  "an artifact with everything": {
    name: "m.artifact",
    text:
      "[Artifact]\nArtifact=quay.io/m:1\nAuthFile=/auth\nCertDir=/c\nCreds=a:b\nRetry=1\nRetryDelay=1s\nTLSVerify=no\n",
    start:
      "artifact pull --authfile /auth --cert-dir /c --creds a:b --retry 1 --retry-delay 1s --tls-verify=false quay.io/m:1",
    lines: [],
  },
  "a container beside another's network, with its own name": {
    name: "web.container",
    text: "[Container]\nImage=i\nContainerName=web\nServiceName=web-of-mine\nNetwork=db.container\n",
    others: { "db.container": "[Container]\nImage=i\nContainerName=db\n" },
    start: "run --name web --replace --rm --cgroups=split --network container:db --sdnotify=conmon -d i",
    lines: ["Requires=db.service"],
  },
  "an instance's volumes and pods": {
    name: "web@.container",
    text: "[Container]\nImage=i\nVolume=data-%i:/data\nEnvironment=NAME=%i\nPublishPort=127.0.0.1::80\n",
    start:
      "run --name systemd-%p_%i --replace --rm --cgroups=split --sdnotify=conmon -d -v data-%i:/data --publish 127.0.0.1::80 --env NAME=%i i",
    lines: [],
  },
  "values with percent signs and dollars": {
    name: "web.container",
    text: "[Container]\nImage=i\nExec=sh -c 'echo 100%% $$HOME ${X}'\nEnvironment=P=50%%\n",
    start:
      'run --name systemd-%N --replace --rm --cgroups=split --sdnotify=conmon -d --env P=50%% i sh -c "echo 100%% $$HOME ${X}"',
    lines: [],
  },
};
