"""What the prompt hook's budget comes to in the tokens of real models, by kind of text.

    python bench/token_budget.py --tokenizer cl100k.json --tokenizer o200k.json … [--texts FOLDER]

``domain/tokens.py`` counts by tables, because a hook can load no tokenizer; here tokenizers
that somebody published count what it showed. They are no part of this project: install ``tiktoken`` and
``tokenizers`` into an environment of your own, and name their files. Texts are invented, two long lines each.

Reads nothing of a home, writes nothing.
"""

# ruff: noqa: RUF001 - texts in the scripts that are measured

import argparse
import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from nightledger.domain.exposure import Place
from nightledger.surfaces.hook.notes import Note, fence

TOKENS = 100
TEXTS = {
    "English": "The greenhouse sensor reports in Fahrenheit so convert the value before comparing it with a threshold ",
    "Russian": "Датчик в теплице показывает температуру по Фаренгейту поэтому переведите значение перед сравнением ",
    "Greek": "Ο αισθητήρας του θερμοκηπίου μετρά σε βαθμούς Φαρενάιτ μετατρέψτε πριν συγκρίνετε ",
    "Arabic": "يقيس مستشعر البيت الزجاجي بالفهرنهايت لذا حوّل القيمة قبل المقارنة ",
    "Hebrew": "חיישן החממה מודד בפרנהייט ולכן יש להמיר את הערך לפני ההשוואה ",
    "Hindi": "ग्रीनहाउस का सेंसर फ़ारेनहाइट में मापता है इसलिए तुलना से पहले मान बदलें ",
    "Thai": "เซ็นเซอร์ในเรือนกระจกวัดเป็นฟาเรนไฮต์จึงต้องแปลงค่าก่อนเปรียบเทียบ ",
    "Georgian": "სათბურის სენსორი ზომავს ფარენჰეიტში ამიტომ შედარებამდე გადაიყვანეთ ",
    "Amharic": "የግሪን ሃውስ ዳሳሽ በፋራናይት ይለካል ስለዚህ ከማነጻጸር በፊት ይቀይሩ ",
    "Chinese": "温室里的传感器以华氏度报告请在比较阈值之前先转换单位",
    "Japanese": "温室のセンサーは華氏で報告しますので比較する前に変換してください",
    "Korean": "온실 센서는 화씨로 보고하므로 비교하기 전에 변환하십시오 ",
    "pictures": "🦊✅🌡️💯🚢🧑🏽‍🚀",
    "signs": "☀☂✔✖➜⚠⛔★☎ ",
    "mathematics": "∀x∈R∃y≤∑∫√∞≠≈⊂⊆∪∩→⇒ ",
    "phonetic": "ˈfæɹənˌhaɪt ˈsɛnsɚ ",
    "addresses": "https://ci.example.net/a8f3/Zk9_-q/%E2%9C%93?x=Qm9vIGlzIGhlcmU&y=93f0a8b7c6d5e4f3#L10 ",
    "digests": "5f3c81d09be24a77c6108fd2a93b5e0744c1ab6e29d8f05317be62ca80d4f913 ",
    "code": "for(int i=0;i<n;++i){a[i]^=b[(i*31)%m];} ",
}
Count = Callable[[str], int]


def shown(text: str) -> str:
    """Give what the hook shows of two lines of a text."""
    long = text * (1 + 1200 // len(text))
    notes = [
        Note(key=str(n), shown=(), place=Place(path="MEMORY.md", lines=(n + 1, n + 1)), text=long[n:])
        for n in range(2)
    ]
    return fence(notes, TOKENS)[0]


def counters(encodings: Sequence[str], files: Sequence[str]) -> dict[str, Count]:
    """Give what counts tokens, by name.

    Args:
        encodings: Names of tiktoken's.
        files: ``tokenizer.json`` files.
    """
    found = {name: _of_tiktoken(name) for name in encodings}
    return found | {Path(path).stem: _of_file(path) for path in files}


def _of_tiktoken(name: str) -> Count:
    encoding = importlib.import_module("tiktoken").get_encoding(name)
    return lambda text: len(encoding.encode(text, disallowed_special=()))


def _of_file(path: str) -> Count:
    loaded = importlib.import_module("tokenizers").Tokenizer.from_file(path)
    return lambda text: len(loaded.encode(text, add_special_tokens=False).ids)


def tell(counts: Mapping[str, Count]) -> None:
    """Print for each kind of text what was shown of it and what it costs."""
    print("text".ljust(12), "characters", *counts, sep="  ")
    for kind, text in TEXTS.items():
        said = shown(text)
        figures = (str(count(said)).rjust(len(name)) for name, count in counts.items())
        print(kind.ljust(12), str(len(said)).rjust(10), *figures, sep="  ")


def tell_folder(folder: Path, counts: Mapping[str, Count]) -> None:
    """Print what two lines of each text of a folder cost in the tokenizer that takes most, here and there in it."""
    worst = {}
    for path in sorted(folder.glob("*.txt")):
        text = path.read_text("utf-8")
        said = [shown(text[at : at + 1400]) for at in range(0, max(1, min(3000, len(text) - 1400)), 500)]
        taken = [max(count(one) for count in counts.values()) for one in said]
        worst[path.stem] = (sum(taken) / len(taken), max(taken))
    for name, (mean, most) in sorted(worst.items(), key=lambda row: row[1])[-10:]:
        print(f"{name}: {mean:.0f} on average, {most} at most")
    over = sum(most > 110 for _, most in worst.values())
    print(f"{len(worst)} texts; a sample of more than 110 tokens in {over}")


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--tiktoken", action="append", default=[], metavar="NAME", help="an encoding of tiktoken"
    )
    parser.add_argument("--tokenizer", action="append", default=[], metavar="FILE", help="a tokenizer.json")
    parser.add_argument("--texts", type=Path, metavar="FOLDER", help="plain text, a file for each language")
    options = parser.parse_args()
    counts = counters(options.tiktoken, options.tokenizer)
    tell(counts)
    if options.texts:
        tell_folder(options.texts, counts)


if __name__ == "__main__":
    main()
