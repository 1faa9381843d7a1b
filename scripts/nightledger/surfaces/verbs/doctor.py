"""What is set up, what is not and what mends it; what it does not prove.

Reads   everything of a home, its keys' modes, the crontab (crontab -l)
Changes no memory, and writes nothing at all.
"""

import argparse

from nightledger.surfaces.context import Context


def configure(parser: argparse.ArgumentParser) -> None:
    """``doctor`` has no options of its own."""
    del parser


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the diagnosis; 0 when all that is needed is there, else 1."""
    del options
    from nightledger.domain.errors import EXIT_REFUSED
    from nightledger.surfaces.doctor.doctor import diagnose
    from nightledger.surfaces.doctor.text import doctor_lines, doctor_record

    diagnosis = diagnose(context)
    context.emit(doctor_record(diagnosis))
    context.print_lines(doctor_lines(diagnosis))
    return 0 if diagnosis.well else EXIT_REFUSED
