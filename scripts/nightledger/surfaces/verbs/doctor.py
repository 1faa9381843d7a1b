"""What is wrong and what mends it, what is set up; with --level, what is not proved.

Reads   everything of a home, its keys' modes, the crontab (crontab -l)
Changes no memory, and writes nothing at all.
"""

import argparse

from nightledger.surfaces.context import Context

_MATTERS = {
    "all": "every finding with its mend",
    "level": "what is not proved here",
    "paste": "the lines that the agent's instructions lack, alone",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Name the options of ``doctor``."""
    only = parser.add_mutually_exclusive_group()
    for name, told in _MATTERS.items():
        only.add_argument(f"--{name}", dest="matter", action="store_const", const=name, help=told)


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the diagnosis; 0 when all that is needed is there, else 1."""
    from nightledger.domain.errors import EXIT_REFUSED
    from nightledger.surfaces.doctor import text
    from nightledger.surfaces.doctor.doctor import diagnose

    diagnosis = diagnose(context)
    context.emit(text.doctor_record(diagnosis))
    context.print_lines(getattr(text, f"{options.matter or 'doctor'}_lines")(diagnosis))
    return 0 if diagnosis.well or options.matter == "paste" else EXIT_REFUSED
