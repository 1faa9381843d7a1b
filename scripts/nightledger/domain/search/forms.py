"""English words whose forms no stemmer joins: ``went`` and ``go``, ``children`` and ``child``.

Invariant: pure tables of the language; a word of another language that is spelt alike gains at
worst a few words that it is not found by.
"""

from functools import cache

_IRREGULAR = """
arise arose arisen|awake awoke awoken|become became|begin began begun|bend bent|bet|bind bound|bite bit bitten
bleed bled|blow blew blown|break broke broken|breed bred|bring brought|build built|burn burnt|buy bought
catch caught|choose chose chosen|cling clung|come came|creep crept|deal dealt|dig dug|draw drew drawn
dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt
fight fought|find found|flee fled|fly flew flown|forbid forbade forbidden|forget forgot forgotten
forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go goes went gone|grow grew grown
hang hung|hear heard|hide hid hidden|hold held|keep kept|kneel knelt|know knew known|lay laid|lead led
lean leant|learn learnt|leave left|lend lent|lie lay lain|light lit|lose lost|make made|mean meant|meet met
overcome overcame|pay paid|prove proven|ride rode ridden|ring rang rung|rise rose risen|run ran|say said
see saw seen|seek sought|sell sold|send sent|sew sewn|shake shook shaken|shine shone|shoot shot
show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept|slide slid
speak spoke spoken|speed sped|spend spent|spin spun|spring sprang sprung|stand stood|steal stole stolen
stick stuck|sting stung|strike struck|swear swore sworn|sweep swept|swim swam swum|swing swung
take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown
understand understood|undo undid undone|wake woke woken|wear wore worn|weave wove woven|weep wept|win won
wind wound|withdraw withdrew withdrawn|write wrote written|rebuild rebuilt|resend resent|rewrite rewrote rewritten
child children|foot feet|goose geese|half halves|knife knives|leaf leaves|life lives|man men|mouse mice
person people|shelf shelves|tooth teeth|wife wives|woman women|index indices|matrix matrices|datum data
criterion criteria|good better best|bad worse worst|far further furthest
"""


def forms_of(word: str) -> tuple[str, ...]:
    """Give the irregular forms of an English word, itself left out; () where it has none.

    Args:
        word: In lower case, in any of its forms (``buying`` has those of ``buy``).
    """
    return next(
        (
            tuple(form for form in found if form != word)
            for base in bases(word)
            if (found := _table().get(base))
        ),
        (),
    )


def bases(word: str) -> tuple[str, ...]:
    """Give what an English word may be a regular form of, itself first.

    ``cities`` may come from ``city``, ``planned`` from ``plan``; what is no word is in no table.
    """
    found = [word]
    for ending, instead in (
        ("ies", ("y",)),
        ("es", ("", "e")),
        ("s", ("",)),
        ("ing", ("", "e")),
        ("ed", ("", "e")),
    ):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 1:
            found += [stem + end for end in instead]
            if ending in ("ing", "ed") and stem[-1] == stem[-2]:
                found.append(stem[:-1])
    return tuple(dict.fromkeys(found))


@cache
def _table() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for group in _IRREGULAR.replace("\n", "|").split("|"):
        words = tuple(group.split())
        for word in words:
            found.setdefault(word, words)
    return found
