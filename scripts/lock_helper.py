#!/usr/bin/python3 -IS
"""Exchange one locked file, or lock one again: the only privilege, for sudo or doas. Linux.

    lock_helper.py exchange DIRECTORY NAME TEMP UID INODE
    lock_helper.py lock     DIRECTORY NAME -    UID INODE

'exchange' lets NAME and the prepared TEMP of one directory change places and leaves NAME immutable;
what NAME was keeps its bytes under TEMP. There is no way to unlock a file and leave it so: that needs
root. Every part of DIRECTORY is opened by descriptor and without following links; both files must be
regular, of user UID, with one name each; NAME must be inode INODE. No configuration, environment or
other file is read. Name what may be changed in sudoers, for example:

    me ALL=(root) NOPASSWD: /usr/local/sbin/lock_helper.py exchange /home/me/agent MEMORY.md *
    me ALL=(root) NOPASSWD: /usr/local/sbin/lock_helper.py lock /home/me/agent MEMORY.md *

Install it where only root can write: install -o root -m 0755 scripts/lock_helper.py /usr/local/sbin/
Reads   nothing but the status of the files that it is given
Writes  the immutable flag, and which of two names has which file
Changes memory: to bytes that 'nightledger apply' prepared. Whoever may call it may do so too.
"""

import ctypes
import fcntl
import os
import stat
import struct
import sys

IMMUTABLE = 0x10  # FS_IMMUTABLE_FL, linux/fs.h
GET = 2 << 30 | struct.calcsize("l") << 16 | 0x6601  # FS_IOC_GETFLAGS, ioctl_iflags(2)
SET = 1 << 30 | struct.calcsize("l") << 16 | 0x6602
EXCHANGE = 2  # RENAME_EXCHANGE, rename(2)
TEMP_SUFFIX = ".nightledger-tmp"
WORDS = 6
USAGE = "usage: lock_helper.py exchange|lock DIRECTORY NAME TEMP UID INODE"


class RefusedError(Exception):
    """What was asked for is not what this program does."""


def open_directory(path: str) -> int:
    """Open an absolute path part by part; a link anywhere in it is refused."""
    if not path.startswith("/") or "\0" in path:
        raise RefusedError(f"{path} is not an absolute path")
    here = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    for part in filter(None, path.split("/")):
        if part in (".", ".."):
            raise RefusedError(f"{path} is not in its plain form")
        inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
        os.close(here)
        here = inner
    return here


def open_file(directory: int, name: str, uid: int, inode: int | None) -> int:
    """Open a regular file of that user, with one name, and of that inode where one is given."""
    if "/" in name or "\0" in name or name in ("", ".", ".."):
        raise RefusedError(f"{name!r} is not a file's name")
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
    descriptor = os.open(name, flags, dir_fd=directory)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
        raise RefusedError(f"{name} is not a regular file with one name")
    if status.st_uid != uid or inode not in (None, status.st_ino):
        raise RefusedError(f"{name} is another file, or another user's")
    return descriptor


def set_immutable(descriptor: int, *, on: bool) -> None:
    """Set or clear the flag; the others stay."""
    (bits,) = struct.unpack_from("i", fcntl.ioctl(descriptor, GET, struct.pack("l", 0)))
    wanted = bits | IMMUTABLE if on else bits & ~IMMUTABLE
    if wanted != bits:
        fcntl.ioctl(descriptor, SET, struct.pack("l", wanted))


def exchange(directory: int, name: str, temp: str, uid: int, inode: int) -> None:
    """Let the two change places; whatever happens, the file that has the name afterwards is immutable."""
    if not temp.startswith(f".{name[:100]}.") or not temp.endswith(TEMP_SUFFIX):
        raise RefusedError(f"{temp!r} was not prepared for {name!r}")
    old, new = open_file(directory, name, uid, inode), open_file(directory, temp, uid, None)
    rename = ctypes.CDLL(None, use_errno=True).renameat2
    kept = old
    set_immutable(old, on=False)
    try:
        names = (os.fsencode(temp), os.fsencode(name))
        if rename(directory, names[0], directory, names[1], EXCHANGE) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), name)
        kept = new
    finally:
        set_immutable(kept, on=True)
    os.fsync(directory)


def run(verb: str, path: str, name: str, temp: str, uid: int, inode: int) -> None:
    """Do what was asked for."""
    directory = open_directory(path)
    if os.fstat(directory).st_uid != uid:
        raise RefusedError(f"{path} is another user's")
    if verb == "exchange":
        exchange(directory, name, temp, uid, inode)
    elif verb == "lock":
        set_immutable(open_file(directory, name, uid, inode), on=True)
    else:
        raise RefusedError(f"{verb!r} is nothing that is done here")


def main(words: list[str]) -> int:
    """Read the words; 0 when it is done, 1 with the reason on standard error, 2 for wrong words."""
    if sys.platform != "linux" or len(words) != WORDS or not (words[4] + words[5]).isdecimal():
        sys.stderr.write(f"{USAGE}\n")
        return 2
    verb, path, name, temp, uid, inode = words
    try:
        run(verb, path, name, temp, int(uid), int(inode))
    except (OSError, RefusedError) as error:
        sys.stderr.write(f"lock_helper.py: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
