"""Which engine finds candidates in a large home, and why not the other."""

from collections.abc import Iterator

from nightledger.domain.errors import NightledgerError
from nightledger.domain.search.engines import Engine, wants_tantivy
from nightledger.files.configuration import load_settings
from nightledger.files.home import Home
from nightledger.files.quick_index import QuickIndexError, is_installed, open_quick, quick_dir
from nightledger.files.search_reader import Reader
from nightledger.files.search_writing import HISTORY
from nightledger.surfaces.doctor.checks import Check, good, note

AREA = "search"
_FIX = "nightledger recall makes it; without it FTS5 finds candidates"
_INSTALL = "pip install 'nightledger[fast-search]', or search_engine: auto"


def check_engine(home: Home, reader: Reader) -> Iterator[Check]:
    """Say where tantivy is wanted whether it finds candidates; nothing where FTS5 does as it should.

    Args:
        home: Whose.
        reader: Its search index.
    """
    engine = _wanted(home)
    if not wants_tantivy(engine, reader.count()):
        return
    if not is_installed():
        if engine is Engine.TANTIVY:
            yield note(
                AREA, "search_engine is tantivy, which is not installed; FTS5 finds candidates", _INSTALL
            )
        return
    try:
        quick = open_quick(quick_dir(reader.path), reader.meta(HISTORY))
    except QuickIndexError as error:
        yield note(AREA, str(error), _FIX)
        return
    if quick is None:
        yield note(AREA, "the quick index is missing, or of other words than the search index", _FIX)
    else:
        yield good(AREA, f"tantivy finds candidates among {reader.count():,} chunks")


def _wanted(home: Home) -> Engine:
    try:
        return load_settings(home).search_engine
    except NightledgerError:
        return Engine.AUTO  # settings that cannot be read are told of elsewhere
