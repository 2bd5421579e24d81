/**
 * The system calls that containers may make, by subject. Names of every processor's: a profile passes over those that a
 * machine does not have.
 *
 * @module
 */

/** System calls that any container may make, whatever its capabilities. */
export const ALLOWED = splitWords(`
  access chdir close close_range creat dup dup2 dup3 faccessat faccessat2 fchdir getcwd open openat openat2 read readv
  pread64 preadv preadv2 write writev pwrite64 pwritev pwritev2 lseek _llseek sendfile sendfile64 copy_file_range splice
  tee readahead fadvise64 fadvise64_64 fallocate truncate truncate64 ftruncate ftruncate64 flock fcntl fcntl64 ioctl
  link linkat symlink symlinkat readlink readlinkat unlink unlinkat rename renameat renameat2 mkdir mkdirat rmdir mknod
  mknodat getdents getdents64 umask name_to_handle_at memfd_create memfd_secret pipe pipe2 fsync fdatasync sync syncfs
  sync_file_range stat stat64 lstat lstat64 fstat fstat64 fstatat64 newfstatat statx statfs statfs64 fstatfs fstatfs64
  chmod fchmod fchmodat fchmodat2 chown chown32 fchown fchown32 fchownat lchown lchown32 utime utimes futimesat utimensat
  utimensat_time64 getxattr getxattrat lgetxattr fgetxattr setxattr setxattrat lsetxattr fsetxattr listxattr listxattrat
  llistxattr flistxattr removexattr removexattrat lremovexattr fremovexattr statmount listmount cachestat

  select _newselect pselect6 pselect6_time64 poll ppoll ppoll_time64 epoll_create epoll_create1 epoll_ctl epoll_ctl_old
  epoll_wait epoll_wait_old epoll_pwait epoll_pwait2 eventfd eventfd2 signalfd signalfd4 timerfd_create timerfd_gettime
  timerfd_gettime64 timerfd_settime timerfd_settime64 inotify_init inotify_init1 inotify_add_watch inotify_rm_watch
  fanotify_mark io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents io_pgetevents_time64

  accept accept4 bind connect listen shutdown socketpair getsockname getpeername getsockopt setsockopt send sendto sendmsg
  sendmmsg recv recvfrom recvmsg recvmmsg recvmmsg_time64

  brk mmap mmap2 munmap mremap mprotect madvise mincore msync mlock mlock2 mlockall munlock munlockall mseal membarrier
  pkey_alloc pkey_free pkey_mprotect remap_file_pages map_shadow_stack process_mrelease

  fork vfork execve execveat exit exit_group wait4 waitid waitpid getpid getppid gettid getpgid getpgrp setpgid getsid
  setsid set_tid_address get_thread_area set_thread_area set_robust_list get_robust_list restart_syscall rseq uretprobe
  prctl capget capset seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self pidfd_open
  pidfd_send_signal getrlimit ugetrlimit setrlimit prlimit64 getrusage getpriority setpriority ioprio_get ioprio_set
  sched_yield sched_getaffinity sched_setaffinity sched_getattr sched_setattr sched_getparam sched_setparam
  sched_getscheduler sched_setscheduler sched_get_priority_max sched_get_priority_min sched_rr_get_interval
  sched_rr_get_interval_time64 getcpu futex futex_time64 futex_wait futex_waitv futex_wake futex_requeue riscv_hwprobe

  getuid getuid32 geteuid geteuid32 getgid getgid32 getegid getegid32 getresuid getresuid32 getresgid getresgid32
  getgroups getgroups32 setuid setuid32 setgid setgid32 setreuid setreuid32 setregid setregid32 setresuid setresuid32
  setresgid setresgid32 setgroups setgroups32 setfsuid setfsuid32 setfsgid setfsgid32

  kill tkill tgkill pause alarm rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend
  rt_sigtimedwait rt_sigtimedwait_time64 rt_tgsigqueueinfo sigaltstack sigprocmask sigreturn

  time times gettimeofday adjtimex clock_adjtime clock_adjtime64 clock_getres clock_getres_time64 clock_gettime
  clock_gettime64 nanosleep clock_nanosleep clock_nanosleep_time64 getitimer setitimer timer_create timer_delete
  timer_getoverrun timer_gettime timer_gettime64 timer_settime timer_settime64

  ipc msgget msgsnd msgrcv msgctl semget semop semctl semtimedop semtimedop_time64 shmget shmat shmdt shmctl mq_open
  mq_unlink mq_notify mq_getsetattr mq_timedsend mq_timedsend_time64 mq_timedreceive mq_timedreceive_time64

  uname sysinfo getrandom
`);

/** Further calls that processors of one kind have, by the names that conditions use. */
export const BY_PROCESSOR: [processors: string[], calls: string[]][] = [
  [["amd64", "x32"], splitWords("arch_prctl")],
  [["amd64", "x32", "x86"], splitWords("modify_ldt")],
  [["arm", "arm64"], splitWords("arm_fadvise64_64 arm_sync_file_range sync_file_range2 breakpoint cacheflush set_tls")],
  [["ppc64le"], splitWords("sync_file_range2 swapcontext")],
  [["riscv64"], splitWords("riscv_flush_icache")],
  [["s390", "s390x"], splitWords("s390_pci_mmio_read s390_pci_mmio_write s390_runtime_instr")],
];

/** Calls that a capability opens, in either API; they are closed without it. */
export const BY_CAPABILITY: [capability: string, calls: string[]][] = [
  ["CAP_DAC_READ_SEARCH", splitWords("open_by_handle_at")],
  ["CAP_SYS_ADMIN", splitWords("bpf lookup_dcookie perf_event_open quotactl quotactl_fd setdomainname sethostname")],
  ["CAP_SYS_CHROOT", splitWords("chroot")],
  ["CAP_SYS_MODULE", splitWords("delete_module finit_module init_module")],
  ["CAP_SYS_PACCT", splitWords("acct")],
  ["CAP_SYS_PTRACE", splitWords("kcmp process_madvise")],
  ["CAP_SYS_RAWIO", splitWords("ioperm iopl")],
  ["CAP_SYS_TIME", splitWords("clock_settime clock_settime64 settimeofday stime")],
  ["CAP_SYS_TTY_CONFIG", splitWords("vhangup")],
  ["CAP_BPF", splitWords("bpf")],
  ["CAP_PERFMON", splitWords("perf_event_open")],
];

/**
 * What Podman's containers do besides: they make user namespaces and mount in them, trace their own processes, keep keys. In
 * Docker's API it takes a capability, or is closed.
 */
export const NESTED = splitWords(`
  clone clone3 unshare setns mount mount_setattr move_mount open_tree fsopen fsconfig fsmount fspick umount umount2
  pivot_root fanotify_init syslog reboot keyctl ptrace process_vm_readv process_vm_writev pidfd_getfd
  get_mempolicy set_mempolicy mbind
`);

/** The same in Docker's API. */
export const NESTED_BY_CAPABILITY: [capability: string, calls: string[]][] = [
  [
    "CAP_SYS_ADMIN",
    splitWords(`
      clone clone3 unshare setns mount mount_setattr move_mount open_tree fsopen fsconfig fsmount fspick umount umount2
      fanotify_init syslog lsm_get_self_attr lsm_set_self_attr lsm_list_modules
    `),
  ],
  ["CAP_SYS_BOOT", splitWords("reboot")],
  ["CAP_SYS_NICE", splitWords("get_mempolicy set_mempolicy mbind set_mempolicy_home_node")],
  ["CAP_SYS_PTRACE", splitWords("pidfd_getfd")],
  ["CAP_SYSLOG", splitWords("syslog")],
];

/**
 * Calls that nobody may make: they fail as "not permitted". Any other call that is not named fails as missing (ENOSYS): libraries
 * then do without calls that are newer than this list, and without io_uring, whose work no filter sees.
 */
export const FORBIDDEN = splitWords(`
  add_key request_key kexec_load kexec_file_load swapon swapoff userfaultfd move_pages migrate_pages nfsservctl sysfs ustat
  uselib bdflush vm86 vm86old pciconfig_iobase pciconfig_read pciconfig_write
`);

/**
 * `socketcall` of 32-bit x86 and s390 has what it is to do behind a pointer, which a filter cannot follow: with it any program
 * opens a socket of any family, from 64-bit code too.
 */
export const UNSEEN = splitWords("socketcall");

function splitWords(text: string): string[] {
  return text.trim().split(/\s+/);
}
