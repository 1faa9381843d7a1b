"""Names that do harm, by what they do: the auditor's own list beside the published one.

Invariant: names are canonical (``paths``): ``os.system`` however it was reached; ``X()`` is
what a call of ``X`` gives. A star stands for any ending. Exact names win over starred ones.
"""

PROCESS: tuple[str, ...] = (
    "os.system", "os.popen*", "os.exec*", "os.spawn*", "os.posix_spawn*", "os.fork*", "os.startfile", "os.openpty", "os.dup2",
    "os.setuid", "os.setgid", "os.setreuid", "os.setresuid", "os.chroot", "os.pidfd_open", "os.unshare", "os.setns",
    "subprocess.run", "subprocess.call", "subprocess.Popen", "subprocess.check_call", "subprocess.check_output",
    "subprocess.getoutput", "subprocess.getstatusoutput", "_posixsubprocess.*", "_winapi.CreateProcess",
    "asyncio.create_subprocess_shell", "asyncio.create_subprocess_exec", "asyncio.subprocess.create_subprocess_*",
    "asyncio.get_event_loop().subprocess_*", "asyncio.get_running_loop().subprocess_*", "asyncio.new_event_loop().subprocess_*",
    "anyio.run_process", "anyio.open_process", "trio.run_process", "trio.lowlevel.open_process",
    "pty.*", "commands.*", "popen2.*", "distutils.spawn.spawn", "pexpect.*", "pexpect.spawn*", "sh.*", "plumbum.*", "invoke.run", "invoke.sudo", "invoke.Context().run", "invoke.Context().sudo", "nox.Session().run*", "nox.Session().install", "nox.Session().conda_install",
    "airflow.operators.bash.*", "airflow.operators.bash_operator.*", "airflow.providers.ssh.*", "airflow.providers.standard.operators.bash.*", "prefect_shell.*", "langchain_community.tools.ShellTool*", "langchain.tools.ShellTool*", "ansible_runner.*", "sarge.*", "delegator.*", "envoy.run", "click.edit", "dask_ssh.*",
    "fabric.*", "paramiko.SSHClient().exec_command", "paramiko.SSHClient().invoke_shell", "docker.from_env().*", "docker.DockerClient().*",
    "IPython.start_ipython", "IPython.embed", "psutil.Popen",
    "multiprocessing.util.spawnv_passfds", "pydoc.pipepager", "pydoc.tempfilepager", "git.Repo().git.*", "win32api.*", "win32process.*", "_xxsubinterpreters.*",
    "mailcap.findmatch", "pipes.*", "venv.create", "venv.main", "venv.EnvBuilder*", "virtualenv.*", "test.support.script_helper.*", "sys.remote_exec", "termios.TIOCSTI", "multiprocessing.set_executable",
)  # fmt: skip
RUN: tuple[str, ...] = (
    "builtins.eval", "builtins.exec", "builtins.execfile", "codeop.*", "code.interact", "code.InteractiveConsole*", "code.InteractiveInterpreter*",
    "code.compile_command", "bdb.Bdb*", "pdb.run*", "pdb.Pdb*", "trace.Trace*",
    "tkinter.Tcl().eval", "tkinter.Tcl().call", "tkinter.Tk().eval", "typing.ForwardRef()._evaluate", "typing._eval_type", "py_compile.*", "compileall.*",
    "doctest.testfile", "doctest.DocFileSuite", "doctest.DocFileTest", "doctest.DocTestRunner().run", "doctest.DebugRunner().run", "idlelib.*", "rlcompleter.Completer()*", "_interpreters.*", "concurrent.interpreters.*", "doctest.debug_src", "doctest.debug_script", "execjs.*", "papermill.execute_notebook", "nbconvert.preprocessors.ExecutePreprocessor*", "nbclient.*", "langchain_experimental.*", "pandasai.*", "js2py.*", "lupa.*", "py_mini_racer.*",
)  # fmt: skip
RUN_CALLED: tuple[str, ...] = ("types.FunctionType", "types.LambdaType", "types.CodeType", "builtins.compile")
"""Harmless as a name (``isinstance``), not when called."""
LOAD: tuple[str, ...] = (
    "runpy.*", "imp.*", "_imp.*", "zipimport.*", "importlib.machinery.SourceFileLoader*", "importlib.machinery.SourcelessFileLoader*",
    "importlib.machinery.ExtensionFileLoader*", "importlib.util.spec_from_file_location*", "importlib.util.module_from_spec*", "importlib.util.spec_from_loader*", "importlib.abc.InspectLoader*", "importlib._bootstrap*",
    "importlib.reload", "pkgutil.get_loader*", "pkgutil.find_loader*", "pkgutil.get_importer*", "_frozen_importlib*", "_frozen_importlib_external*", "__loader__*", "__spec__*", "site.addsitedir", "site.addpackage", "site.exec*", "pydoc.importfile", "pydoc.safeimport", "distutils.core.run_setup",
    "cffi.*", "pyximport.*", "pip.*", "pip._internal*", "ensurepip.*", "micropip.install", "piplite.install",
)  # fmt: skip
UNPICKLE: tuple[str, ...] = (
    "pickle.load*", "pickle.Unpickler*", "pickle._Unpickler*", "pickle._load*", "marshal.load*", "shelve.*", "dill.load*", "cloudpickle.load*", "joblib.load", "jsonpickle.decode", "jsonpickle.loads",
    "pandas.read_pickle", "mlflow.pyfunc.load_model", "mlflow.sklearn.load_model", "mlflow.pytorch.load_model", "keras.config.enable_unsafe_deserialization", "torch.jit.load", "yaml.unsafe_load*", "yaml.full_load*", "yaml.UnsafeLoader", "yaml.FullLoader", "yaml.Loader", "yaml.CLoader",
    "ruamel.yaml.unsafe_load*", "multiprocessing.connection.*", "multiprocessing.managers.*", "torch.hub.load*", "tracemalloc.Snapshot.load",
)  # fmt: skip
NATIVE: tuple[str, ...] = (
    "ctypes.CDLL*", "ctypes.PyDLL*", "ctypes.WinDLL*", "ctypes.OleDLL*", "ctypes.cdll*", "ctypes.pydll*", "ctypes.windll*", "ctypes.oledll*", "ctypes.pythonapi*", "ctypes.util.find_library", "ctypes.LibraryLoader*",
    "ctypes.cast", "ctypes.CFUNCTYPE*", "ctypes.PYFUNCTYPE*", "ctypes.WINFUNCTYPE*", "ctypes.memmove", "ctypes.memset", "ctypes.string_at", "ctypes.wstring_at", "ctypes.POINTER*", "ctypes.pointer*", "ctypes.from_address*",
    "ctypes.py_object*", "_ctypes.*", "mmap.mmap", "os.memfd_create", "os.add_dll_directory", "numpy.ctypeslib.load_library", "sys.setdlopenflags",
)  # fmt: skip
INTROSPECT: tuple[str, ...] = (
    "gc.get_objects", "gc.get_referrers", "gc.get_referents", "inspect.getclosurevars", "builtins.object.__subclasses__", "builtins.type.__subclasses__*",
    "sys._current_frames",
)  # fmt: skip
DELETE: tuple[str, ...] = (
    "os.remove", "os.unlink", "os.rmdir", "os.removedirs", "os.truncate", "os.ftruncate", "shutil.rmtree", "pathlib.Path().unlink", "pathlib.Path().rmdir", "send2trash.*", "os.removexattr",
    "pathlib.Path.unlink", "pathlib.Path.rmdir", "distutils.dir_util.remove_tree",
    *(f"mailbox.{box}().{name}" for box in ("mbox", "Maildir", "MH", "Babyl", "MMDF") for name in ("clear", "remove", "discard", "popitem")),
)  # fmt: skip
MOVE: tuple[str, ...] = (
    "os.rename", "os.renames", "os.replace", "os.link", "os.symlink", "os.chmod", "os.lchmod", "os.fchmod", "os.chown", "os.lchown", "os.fchown", "os.mkfifo", "os.mknod", "os.setxattr", "os.chflags", "os.lchflags", "os.sendfile", "os.copy_file_range",
    "os.splice", "os.write", "os.pwrite*", "os.writev", "os.utime", "shutil.move", "shutil.copy", "shutil.copy2", "shutil.copyfile*", "shutil.copymode", "shutil.copystat", "shutil.copytree", "shutil.chown", "shutil.unpack_archive", "shutil.make_archive",
    "pathlib.Path().rename", "pathlib.Path().replace", "pathlib.Path().chmod", "pathlib.Path().lchmod", "pathlib.Path().symlink_to", "pathlib.Path().hardlink_to", "pathlib.Path().link_to", "distutils.file_util.*", "distutils.dir_util.copy_tree",
    "pathlib.Path().copy*", "pathlib.Path().move*",
)  # fmt: skip
WRITE: tuple[str, ...] = (
    "zipapp.create_archive", "lib2to3.main.*", "pydoc.writedoc*", "in_place.*", "readline.write_history_file", "readline.append_history_file", "dotenv.set_key", "dotenv.unset_key",
)  # fmt: skip
NETWORK: tuple[str, ...] = (
    "socket.socket", "socket.socket().connect*", "socket.create_connection", "socket.create_server", "socket.socketpair", "socket.fromfd", "socket.gethostby*", "socket.getaddrinfo", "socket.getnameinfo", "socket.socket().*", "smtplib.*", "ftplib.*", "telnetlib.*", "poplib.*",
    "imaplib.*", "nntplib.*", "http.client.HTTP*Connection", "http.client.HTTPSConnection", "http.client.HTTPConnection", "http.server.*", "socketserver.*", "xmlrpc.client.*", "xmlrpc.server.*", "wsgiref.simple_server.*", "asyncio.open_connection", "asyncio.start_server", "asyncio.open_unix_connection",
    "asyncio.get_event_loop().create_connection", "asyncio.get_running_loop().create_connection", "asyncio.get_running_loop().create_server", "asyncio.get_event_loop().create_server", "ssl.get_server_certificate", "websockets.*", "websocket.*", "paramiko.*", "asyncssh.*", "pysftp.*", "scp.*", "aiosmtplib.*", "aioftp.*", "pycurl.*", "urllib.request.urlretrieve",
    "urllib.request.install_opener", "urllib.request.ProxyHandler", "webbrowser.*", "zmq.*", "ngrok.*", "pyngrok.*", "dns.resolver.*", "yagmail.*", "ldap3.*", "impacket.*", "smbclient.*", "logging.handlers.HTTPHandler", "logging.handlers.SocketHandler", "logging.handlers.SMTPHandler", "logging.handlers.SysLogHandler", "logging.config.listen",
    "click.launch", "typer.launch", "uvicorn.run", "flask.Flask().run", "ssl._create_unverified_context",
)  # fmt: skip
SECRET: tuple[str, ...] = (
    "keyring.get_password", "keyring.get_credential", "secretstorage.*", "browser_cookie3.*", "pwd.getpwall", "spwd.*", "win32crypt.*", "PIL.ImageGrab.*", "pyperclip.paste", "pyautogui.screenshot", "mss.*", "netrc.netrc", "pynput.*", "keyboard.record", "keyboard.on_press*", "keyboard.hook",
)  # fmt: skip
HOOK: tuple[str, ...] = (
    "sys.meta_path*", "sys.path_hooks*", "sys.path_importer_cache*", "sys.settrace", "sys.setprofile", "sys.addaudithook", "sys.monitoring*", "threading.settrace*", "threading.setprofile*", "os.putenv", "os.unsetenv", "winreg.*", "_winreg.*",
    "crontab.*", "os.register_at_fork", "faulthandler.register", "os.environb*", "sqlite3.connect().enable_load_extension", "sqlite3.connect().load_extension",
)  # fmt: skip
SIGNAL: tuple[str, ...] = (
    "os.kill", "os.killpg", "os.abort", "signal.raise_signal", "signal.pthread_kill", "signal.pidfd_send_signal", "psutil.Process().kill", "psutil.Process().terminate", "psutil.Process().suspend", "psutil.process_iter()[].kill", "psutil.process_iter()[].terminate",
)  # fmt: skip
TELLTALE = frozenset(
    {"system", "popen", "execv", "execve", "execvp", "eval", "exec", "compile", "__import__", "import_module", "Popen", "check_output", "getoutput", "rmtree", "unlink",
     "__globals__", "__subclasses__", "__builtins__", "__class__", "__bases__", "__mro__", "__code__", "__dict__", "__getattribute__", "builtins", "subprocess", "posix", "pty", "socket", "os", "ctypes", "marshal", "pickle", "shutil"}
)  # fmt: skip
"""Words that nobody builds from pieces but to hide them."""
UNTOLD = (
    *sorted(word for word in TELLTALE if not word.startswith("__")),
    "__import__",
    "__builtins__",
    "open",
    "remove",
)
"""Attributes that say enough on a module that nobody can tell."""
BY_RULE: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("code.process", PROCESS),
    ("code.run", RUN),
    ("code.load", LOAD),
    ("code.unpickle", UNPICKLE),
    ("code.native", NATIVE),
    ("code.introspect", INTROSPECT),
    ("code.delete", DELETE),
    ("code.move", MOVE),
    ("code.write", WRITE),
    ("code.network", NETWORK),
    ("code.secret", SECRET),
    ("code.hook", HOOK),
    ("code.signal", SIGNAL),
    (
        "code.detour",
        (
            "builtins.__import__",
            "builtins.__dict__.items",
            "builtins.__dict__.values",
            "os.__dict__.items",
            "os.__dict__.values",
            "subprocess.__dict__.items",
            "subprocess.__dict__.values",
            "sys.modules.values",
            "sys.modules.items",
            *(f"sys.modules[].{name}" for name in UNTOLD),
        ),
    ),
)
METHODS: dict[str, str] = {
    "write_text": "code.write", "write_bytes": "code.write", "unlink": "code.delete", "rmdir": "code.delete", "rmtree": "code.delete",
    "symlink_to": "code.move", "hardlink_to": "code.move", "exec_module": "code.load", "load_module": "code.load", "load_extension": "code.hook",
    "enable_load_extension": "code.hook", "exec_command": "code.process", "runsource": "code.run", "runcode": "code.run", "sendall": "code.network",
    "sendto": "code.network",
}  # fmt: skip
"""Names of methods that say enough on an object of which nothing is known."""
WALKS = frozenset(
    {
        "__globals__",
        "__builtins__",
        "__closure__",
        "f_globals",
        "f_builtins",
        "f_locals",
        "gi_frame",
        "cr_frame",
        "ag_frame",
        "tb_frame",
    }
)
"""Attributes that lead from any object to everything; ``f_back`` and ``f_code`` are also for log lines."""
