/**
 * The help on `serve`. It imports nothing, so that `deno task serve --help` answers before packages are fetched.
 *
 * @module
 */

/** The help on doors, but for `--listen` and `--help`; `gateway` has it too. */
export const DOOR_USAGE = `  --token-file FILE       Clients must send the text of this file as bearer token
  --tls-cert FILE         Speak TLS over TCP, with this certificate (PEM), and those between it and its authority behind it
  --tls-key FILE          The key of that certificate (PEM)
  --tls-client-ca FILE    Let in over TCP only who has a certificate of these authorities (PEM)
  --allow-host NAME       A further name by which clients reach this server over TCP; may be repeated.
                          Always allowed: localhost, loopback addresses, the address reached, d and docker,
                          and the names in the certificate
  --allow-origin ORIGIN   Pages of this origin, as in https://app.example.com, may call over TCP; may be repeated.
                          They send the token of --token-file, which has to be there
  --log-level LEVEL       error, warn, info or debug, which has every request. Default: info
  --log-format FORMAT     text, or json: one object in each line. Default: text`;

/** The text that `serve --help` prints. */
export const USAGE = `Usage: gantry serve [options]

Serves a container engine over HTTP, with the API of Podman and Docker.

  --listen ADDRESS        unix:///PATH or tcp://HOST:PORT; may be repeated. fd://: the sockets that systemd passes on,
                          fd://4: one that was passed on by its number.
                          Default: unix://RUNROOT/gantry.sock
  --root DIR              What lasts: images, volumes, records. Default: /var/lib/gantry,
                          or gantry in $XDG_DATA_HOME of a user that is not root
  --runroot DIR           What a reboot clears; one per root. Default: /run/gantry, or
                          gantry in $XDG_RUNTIME_DIR; for another root a folder of its own beside it
  --runtime RUNTIME       auto, crun, runc or a path. Default: containers.conf's, or auto
  --hooks-dir DIR         Hooks for containers, oci-hooks(5); may be repeated, a later one wins.
                          Default: /usr/share/containers/oci/hooks.d, /etc/containers/oci/hooks.d
  --cdi-spec-dir DIR      Devices by the Container Device Interface; may be repeated, a later one wins.
                          Default: /etc/cdi, /var/run/cdi
  --quadlet-dir DIR       Quadlets that are installed, podman-systemd.unit(5).
                          Default: /etc/containers/systemd, or quadlets in another root
  --auto-update TIME      Every so often (24h, 90m) update the containers whose label io.containers.autoupdate asks for it.
                          Default: never
  --auto-update-notify    Only log what has an update, and emit events
  --registries-conf FILE  registries.conf(5), with its drop-ins in FILE.d.
                          Default: /etc/containers/registries.conf
  --containers-conf FILE  What containers are by default, containers.conf(5), with its drop-ins in FILE.d.
                          Default: /usr/share/containers/containers.conf, /etc/containers/containers.conf
  --auth-file FILE        Credentials for registries, auth.json(5), where clients bring none.
                          Default: REGISTRY_AUTH_FILE, or the files of podman login and docker login
  --certs-dir DIR         Certificates of registries, in HOST:PORT/{ca.crt,NAME.cert,NAME.key}.
                          Default: /etc/containers/certs.d and /etc/docker/certs.d
  --no-docker-hub         Short names in Docker's API are those of registries.conf, not always Docker Hub's
${DOOR_USAGE}
  --no-setup              Do not install host packages that are missing
  --help                  Print this text

Each option can be given as a variable as well, and options win over variables. Several values are separated by commas:
  GANTRY_LISTEN, GANTRY_HOOKS_DIR, GANTRY_CDI_SPEC_DIR, GANTRY_ALLOW_HOST, GANTRY_ALLOW_ORIGIN
One value:
  GANTRY_ROOT, GANTRY_RUNROOT, GANTRY_RUNTIME, GANTRY_QUADLET_DIR, GANTRY_AUTO_UPDATE, GANTRY_REGISTRIES_CONF,
  GANTRY_CONTAINERS_CONF, GANTRY_AUTH_FILE, GANTRY_CERTS_DIR, GANTRY_TOKEN_FILE, GANTRY_TLS_CERT, GANTRY_TLS_KEY,
  GANTRY_TLS_CLIENT_CA, GANTRY_LOG_LEVEL, GANTRY_LOG_FORMAT
1 for an option without a value:
  GANTRY_AUTO_UPDATE_NOTIFY, GANTRY_NO_DOCKER_HUB, GANTRY_NO_SETUP
`;
