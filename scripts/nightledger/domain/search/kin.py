"""Words that stand for each other, and words for a kind with words for what is of that kind.

A question says ``pets`` where the log says ``puppy``, or ``outage`` where it says ``down``. The table
is small and general on purpose: everyday life and running software. It was written from
general knowledge and a look at questions of the tuning half; docs/decisions/0046-ranking.md has what it is worth. English.

Invariant: a word gets its kin and no kin of theirs, so one word adds a few and never a net.
"""

from functools import cache

from nightledger.domain.search.forms import bases

_ALIKE = """
job career work profession occupation|trip travel vacation holiday journey visit tour getaway
kid child son daughter|mom mother mum|dad father|grandma grandmother|grandpa grandfather
parent mother father|sibling brother sister|spouse husband wife partner|friend buddy pal|doctor physician
hospital clinic|illness disease sick|injury hurt injured wound|exercise workout gym fitness training
movie film cinema|song music tune|picture photo painting image|car vehicle|bike bicycle cycling
house home apartment|buy purchase order|start begin launch|finish complete end done|stop quit
win won victory award prize|award prize trophy medal|like enjoy love|favorite favourite love|hate dislike
happy glad joyful|sad upset unhappy|afraid scared fear|worry concern anxious stress|angry mad upset
idea plan thought|goal aim ambition dream|plan intend schedule|help support assist|volunteer charity donate
money financial cash fund|cheap affordable|expensive costly|big large huge|small little tiny
fast quick rapid|error failure exception crash fault bug|fix repair mend solve resolve
deploy release rollout ship|database db|server host machine|config configuration setting
delete remove erase drop|create make build|change modify update edit|test check verify|email mail message
meeting appointment call|password credential secret|folder directory|log record journal diary
backup restore snapshot|customer client user|company business firm startup|boss manager supervisor
colleague coworker teammate|school college university class|teacher instructor professor|student pupil
study learn|exam test|degree diploma graduation|book novel|author writer|write writing poem story
cook cooking recipe bake|meal dinner lunch breakfast|food dish|relationship dating girlfriend boyfriend
pregnant baby birth|birthday party celebration|celebrate party|game play|team club|coach trainer
competition tournament contest race match|hobby interest pastime|store shop|country nation|city town
move relocate|moving relocation|church religious faith|community group|politics election campaign
environment nature climate|beach ocean sea|mountain hike trail|forest wood park|dog puppy pup|cat kitten
pet animal|flower plant garden|weather rain storm snow|quiet calm relax peaceful|think believe
want wish hope|discuss talk chat|tell mention say|recommend suggest advice|gift present
join attend participate|event festival conference|accident crash|damage broken
problem issue trouble difficulty|challenge difficult hard|difference compare|origin hometown born
live reside|teach lesson|research study investigate|speech talk presentation|collect collection
instrument guitar piano violin|dance dancing|sing singer singing|band concert|shoes sneakers boots
clothes dress outfit shirt|paint painting art drawing|marry married wedding engaged engagement
lose defeat loss|outage downtime down unavailable|slow latency lag sluggish|hang freeze stuck timeout
restart reboot relaunch|install setup|upgrade update migrate migration|version release tag
rollback revert undo|permission access privilege denied|token key secret credential
login authentication signin auth|network connection dns|disk storage volume space|memory ram oom
cpu processor load|queue backlog|schedule cron timer|job task run|pipeline ci workflow|repository repo git
branch merge commit|pull request review|bug ticket issue|script program command|certificate tls ssl cert
proxy gateway nginx|container docker pod kubernetes|cluster node|metric monitoring dashboard graph
alert alarm page notification|report summary|invoice bill billing payment|contract agreement|deadline due
price cost fee|document doc page|table column row schema|query sql|cache cached redis|endpoint api route url
duplicate copy repeated|encrypt encryption cipher|vulnerability cve exploit|attack breach intrusion
owner responsible maintainer|decide decision agreed chose|prefer preference rather|rule policy convention
reason cause because|result outcome
"""
_KINDS = """
pet: dog cat puppy kitten pup turtle hamster bird fish rabbit|animal: dog cat puppy kitten turtle bird horse
family: mother father mom dad brother sister son daughter wife husband kid parent aunt uncle cousin grandma
relative: aunt uncle cousin grandma grandpa
sport: basketball football soccer tennis baseball hockey swimming running cycling skiing surfing yoga boxing
exercise: run running yoga swim weights hike jog
hobby: painting reading hiking cooking gardening photography gaming writing music dancing
instrument: guitar piano violin drum drums flute clarinet
food: pizza pasta salad soup cake bread cheese chicken fish vegetable fruit dessert
dessert: cake cookie pie chocolate|drink: coffee tea beer wine soda juice
country: usa america canada mexico england france germany italy spain sweden japan china india ireland brazil australia
city: boston chicago seattle york london paris tokyo rome berlin barcelona
state: california texas florida oregon michigan|place: city country park beach town
art: painting drawing sculpture pottery|artwork: painting drawing sculpture|craft: pottery knitting sewing
music: song band guitar piano concert classical jazz rock|vehicle: car truck bike van motorcycle
season: spring summer autumn fall winter|holiday: christmas thanksgiving easter halloween
job: teacher engineer nurse doctor developer chef|outdoors: hike hiking camping mountain beach forest
nature: mountain forest beach hike trail lake sunset
health: doctor diet weight exercise sick hospital injury|injury: ankle knee sprain broken hurt
illness: fever flu cancer virus|emotion: happy sad proud anxious excited nervous
feel: feeling happy sad proud|gift: gave present
subject: class course|class: course workshop lesson|book: read novel story series author
game: play video console|device: phone laptop tablet computer watch|gadget: phone laptop tablet watch
weather: rain snow sun storm wind|disaster: flood fire storm earthquake hurricane|damage: flood fire broken
language: english spanish french german python rust java javascript typescript golang
event: party concert festival wedding parade conference|charity: volunteer donate shelter fundraiser
career: job work counselor teacher|marital: married single divorced husband wife
status: single married divorced breakup|religion: church faith god pray
political: election office campaign|financial: money job bank debt|old: age birthday year
color: red blue green yellow purple pink black white orange|database: postgres mysql sqlite redis mongodb
browser: chrome firefox safari|cloud: aws azure gcp|os: linux macos windows ubuntu debian
editor: vim vscode emacs|format: json yaml csv xml markdown|error: timeout exception traceback segfault oom
deadline: monday friday tomorrow due
"""
"""A kind, and what is of it: the kind finds these, and they do not find the kind."""


def kin_of(word: str) -> tuple[str, ...]:
    """Give the words that may be said where a question says this one; () where the table has none.

    Args:
        word: In lower case, in any regular form.
    """
    table = _table()
    return next((table[base] for base in bases(word) if base in table), ())


@cache
def _table() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for group in _ALIKE.replace("\n", "|").strip("|").split("|"):
        words = group.split()
        for word in words:
            found.setdefault(word, {}).update(dict.fromkeys(other for other in words if other != word))
    for line in _KINDS.replace("\n", "|").strip("|").split("|"):
        kind, _, members = line.partition(":")
        found.setdefault(kind.strip(), {}).update(dict.fromkeys(members.split()))
    return {word: tuple(others) for word, others in found.items()}
