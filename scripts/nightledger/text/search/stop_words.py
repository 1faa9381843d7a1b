"""Words that say nothing about what a query is about, in a few languages.

Words of order and place (``first``, ``before``, ``own``, ``down``) are none of them: without these, questions
about conversations found their answers more often (docs/decisions/0022-ranking.md).

Invariant: folded as ``tokens`` folds; no word stands here that names a thing in another of the
languages (German ``die`` is English ``die``: it stays a word).
"""

# ruff: noqa: RUF001 - words of other scripts are part of these lists

_ENGLISH = """
a about all also am an and any are arent as at be because been being both but by can cannot cant could couldnt
did didnt do does doesnt doing dont each for from further had hadnt has hasnt have havent having he her here hers
herself hes him himself his how i id if ill im in into is isnt it its itself ive just let lets me my myself no
nor not of on once only or our ours ourselves please shall she shes should shouldnt so some such tell than that
thats the their theirs them themselves then there theres these they theyre theyve this those through to too under
until upon us very was wasnt we were werent weve what whats when where which while who whom whos whose why will
with wont would wouldnt yes you youd youll your youre yours yourself yourselves youve
"""
_GERMAN = """
aber als am auch auf aus bei beim bin bist da das dass dein dem den denn der des dich dir doch du ein eine einem
einen einer eines er es euch für habe haben hat hatte ich ihm ihn ihr im ist ja kann kein keine mein mich mir mit
nach nicht noch nur ob oder sehr sein seine sich sie sind so soll über um und uns unser vom von vor wann waren
warum weil welche wenn wer werden wie wieder wir wird wo wurde zu zum zur
"""
_FRENCH = """
au aux avec ce ces cette dans de des du elle elles en est et eux il ils je la le les leur leurs lui ma mais mes
moi mon ne nos notre nous par pas pour qu que quel quelle qui sa sans se ses son sont sur ta te tes toi tu un une
vos votre vous où été être
"""
_SPANISH = """
al como con cuál cuando de del dónde el ella ellas ellos en era es esa ese esta este está han hasta hay la las lo
los más mi mis muy ni no nos o para pero por porque que qué quién se ser si sin sobre son su sus también te tiene
tu un una uno y ya yo
"""
_RUSSIAN = """
а без был была были было быть в вам вас ваш весь во вот все вы где да для до его ее если есть еще же за и
из или им их к как какой когда которые который кто ли меня мне мой мы на над нам нас наш не него нее нет ни них но
ну о об он она они оно от по под при про с свой себе себя со так также там тебе тебя то того тоже той только том тот ту
ты у уже чем что чтобы эта эти это этого этой этом этот эту я
"""
STOP_WORDS = frozenset(f"{_ENGLISH} {_GERMAN} {_FRENCH} {_SPANISH} {_RUSSIAN}".split())
"""Without the apostrophe, as the index has them: ``dont``."""
UNSPACED_ASKING = """
什么时候 什么时间 什么 什麼 為什麼 为什么 怎么样 怎么办 怎么 怎麼 怎样 怎樣 哪里 哪裡 哪儿 哪个 哪個 哪些 哪天 几点 幾點
多少 多久 是不是 有没有 有沒有 能不能 可不可以 是否 请问 請問 告诉我 告訴我 吗 嗎 谁 誰
どのように どうやって どうして どこで どこに どこ どれ どの どう なぜ いくつ いくら いつ だれ なに 何時 何の 何を 何が 何で
でしょうか ですか ますか ましたか ました でした です ます
어디에서 어디서 어디에 어디 언제 무엇을 무엇이 무엇 누구 누가 어떻게 얼마나 얼마 입니까 합니까 인가요
"""
"""What a question in a script without spaces is asked with: it parts what stands on either side, which makes no pair of letters."""
_ASKING = """
happen happened happening happens going doing done new passiert passierte geschah geschehen los gemacht getan passé
arrivé fait pasó ocurrió hicimos hice
"""
NOTHING_SAID = STOP_WORDS.union(_ASKING.split())
"""With what asks for anything at all: a query of these and a time asks for all of that time."""
