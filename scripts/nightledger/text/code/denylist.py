"""The published denylist, as published: 10 imports, calls of three modules, 6 built-ins.

Invariant: exactly that list; what the auditor adds stands in ``names`` and ``table``.
Source: the code auditor of Vidurai.
"""

IMPORTS = ("commands", "ctypes", "marshal", "os", "pickle", "pty", "shutil", "socket", "subprocess", "sys")
"""Modules that may not be imported."""
_VARIANTS = ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")
CALLS = (
    *(f"os.{name}" for name in ("system", "popen", "remove", "unlink", "rmdir")),
    *(f"os.{family}{variant}" for family in ("exec", "spawn") for variant in _VARIANTS),
    *(f"subprocess.{name}" for name in ("run", "call", "Popen", "check_call", "check_output")),
    *(f"shutil.{name}" for name in ("rmtree", "move", "copy", "copy2")),
)
"""Functions that may not be called."""
BUILTINS = ("__import__", "compile", "eval", "exec", "input", "open")
"""Built-in functions that may not be called."""
HARMLESS: dict[str, tuple[str, ...]] = {
    "os": (
        "os.path*", "os.environ.get*", "os.environ[]*", "os.environ.setdefault*", "os.environ.pop*", "os.environ.update*",
        "os.environ.__contains__", "os.getenv*", "os.getcwd*", "os.listdir*", "os.scandir*", "os.walk*", "os.fwalk*",
        "os.stat*", "os.lstat*", "os.fstat*", "os.statvfs*", "os.sep*", "os.altsep", "os.linesep*", "os.name*", "os.cpu_count*", "os.getpid*",
        "os.getppid*", "os.uname*", "os.times*", "os.urandom*", "os.fspath*", "os.fsencode*", "os.fsdecode*",
        "os.PathLike*", "os.DirEntry*", "os.access*", "os.get_terminal_size*", "os.terminal_size*", "os.error", "os.curdir",
        "os.pardir", "os.pathsep", "os.extsep", "os.devnull", "os.strerror*", "os.getuid*", "os.geteuid*", "os.getgid*", "os.getlogin*",
        "os.isatty*", "os.sched_getaffinity*", "os.getloadavg*", "os.mkdir*", "os.makedirs*", "os.chdir*",
        "os.close*", "os.fsync*", "os.read*", "os.readlink*", "os.pipe*", "os.umask*", "os.nice*", "os._exit*", "os.lseek*", "os.waitpid*",
        "os.WNOHANG", "os.WEXITSTATUS*", "os.get_exec_path*", "os.O_*", "os.R_OK", "os.W_OK", "os.X_OK", "os.F_OK", "os.SEEK_*", "os.open*", "os.fdopen*",
    ),
    "sys": (
        "sys.argv*", "sys.exit*", "sys.stdin*", "sys.stdout*", "sys.stderr*", "sys.__stdout__*", "sys.__stderr__*", "sys.version*", "sys.platform*",
        "sys.maxsize", "sys.maxunicode", "sys.path*", "sys.executable", "sys.byteorder", "sys.getsizeof*", "sys.exc_info*", "sys.prefix", "sys.base_prefix",
        "sys.getrecursionlimit*", "sys.setrecursionlimit*", "sys.implementation*", "sys.float_info*", "sys.int_info*", "sys.hexversion",
        "sys.getdefaultencoding*", "sys.getfilesystemencoding*", "sys.flags*", "sys.intern*", "sys.getrefcount*", "sys.stdlib_module_names*",
        "sys.builtin_module_names*", "sys.modules", "sys.modules[]*", "sys.modules.__contains__", "sys.modules.get*", "sys.modules.keys*", "sys.api_version", "sys._getframe*", "sys.is_finalizing*",
        "sys.exception*", "sys.last_value", "sys.dont_write_bytecode", "sys.tracebacklimit", "sys.excepthook", "sys.orig_argv*", "sys.set_int_max_str_digits*",
    ),
    "shutil": ("shutil.which*", "shutil.disk_usage*", "shutil.get_terminal_size*", "shutil.Error", "shutil.SameFileError", "shutil.get_archive_formats*"),
    "socket": (
        "socket.gethostname*", "socket.getfqdn*", "socket.AF_*", "socket.SOCK_*", "socket.timeout", "socket.error", "socket.gaierror", "socket.herror",
        "socket.inet_*", "socket.hton*", "socket.ntoh*", "socket.SOL_*", "socket.SO_*", "socket.IPPROTO_*", "socket.has_ipv6", "socket.getdefaulttimeout*", "socket.setdefaulttimeout*", "socket.getservbyname*",
    ),
    "subprocess": (
        "subprocess.CalledProcessError*", "subprocess.TimeoutExpired*", "subprocess.SubprocessError*", "subprocess.CompletedProcess*",
        "subprocess.PIPE", "subprocess.DEVNULL", "subprocess.STDOUT", "subprocess.list2cmdline*",
    ),
    "pickle": ("pickle.dump*", "pickle.HIGHEST_PROTOCOL", "pickle.DEFAULT_PROTOCOL", "pickle.PickleError", "pickle.PicklingError", "pickle.UnpicklingError", "pickle.Pickler*"),
    "marshal": ("marshal.dump*", "marshal.version"),
    "ctypes": ("ctypes.sizeof*", "ctypes.c_*", "ctypes.alignment*", "ctypes.Structure*", "ctypes.Union*", "ctypes.LittleEndianStructure*", "ctypes.BigEndianStructure*"),
}  # fmt: skip
"""What denied modules also hold and does no harm; a star stands for any ending. Ours, not published."""
