"""A dictionary is for names that users know better than we do: it must find them as words, and its file must say what is wrong with it."""

import contextlib
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.errors import ConfigError
from program.normalise.term_file import read_terms
from program.normalise.terms import added_terms, with_added
from program.settings import Term

PAGE = (Path(__file__).parents[3] / "docs/stages/normalise.md").read_text(encoding="utf-8")


def terms(**means: str) -> list[Term]:
    return [Term(says=says, means=tuple(targets.split("|"))) for says, targets in means.items()]


@pytest.mark.parametrize(
    ("text", "says", "matches"),
    [
        ("my pc is slow", "pc", True),
        ("我的pc坏了", "pc", True),
        ("我的ＰＣ坏了", "pc", True),
        ("my PC", "ｐｃ", True),
        ("the pcb", "pc", False),
        ("an epc", "pc", False),
        ("pc_1", "pc", False),
        ("the e-pc", "pc", False),
        ("pc-board", "pc", False),
        ("pc2", "pc", False),
        ("the pc's fan", "pc", True),
        ("I can't", "can", False),
        ("the pc, again", "pc", True),
        ("pc/mac", "mac", True),
        ("node.js", "node", False),
        ("a new node.", "node", True),
        ("C++ 报错", "c", False),
        ("C++ 报错", "c++", True),
        ("C++17", "c++", True),
        ("two laptops", "laptop", True),
        ("two PCs", "pc", True),
        ("24 hrs", "HR", False),
        ("three boxes", "box", True),
        ("k8s  cluster", "k8s cluster", True),
        ("café", "caf", False),
        ("мойка", "мой", False),
        ("本本坏了", "本本", True),
        ("我的本本开不了机", "本本", True),
        ("笔记本本体坏了", "本本", False),
        ("京东方股价", "京东", False),
        ("京东怎么退货", "京东", True),
        ("花呗怎么还", "花呗", True),  # slang that no dictionary has
        ("去b站看番", "B站", True),
        ("去b站点赞", "B站", False),
        ("双11活动", "双11", True),
        ("双111", "双11", False),
        ("五险一金怎么交", "五险一金", True),
        ("", "pc", False),
    ],
)
def test_a_term_is_a_whole_word(text: str, says: str, matches: bool) -> None:
    assert added_terms(text, [Term(says=says, means=("target",))]) == (("target",) if matches else ())


@pytest.mark.parametrize(
    ("text", "means", "added"),
    [
        ("air con unit", {"air con": "A", "con unit": "B"}, ("A",)),  # the first to begin
        ("machine learning", {"machine": "A", "machine learning": "B"}, ("B",)),
        ("北大荒大米", {"北大": "北京大学", "北大荒": "北大荒"}, ()),  # an entry protects
        ("VPN 和 OA", {"OA": "办公系统", "vpn": "虚拟专用网|专线"}, ("虚拟专用网", "专线", "办公系统")),
        ("a b", {"a": "b", "b": "c"}, ("c",)),
        ("a", {"a": "b", "b": "c"}, ("b",)),  # not looked up again
        ("pc pc", {"pc": "computer"}, ("computer",)),
        ("x y", {"x": "Same", "y": "SAME"}, ("Same",)),
        ("pc 即 PERSONAL  computer", {"pc": "personal computer"}, ()),
        ("art 在 start", {"在": "star"}, ("star",)),  # inside of a Latin word it is not there yet
        ("pc", {"pc": " |ok", " ": "never"}, ("ok",)),
    ],
)
def test_what_is_added(text: str, means: dict[str, str], added: tuple[str, ...]) -> None:
    assert added_terms(text, terms(**means)) == added


def test_two_terms_for_one_expression_both_count() -> None:
    assert added_terms("pc", [Term(says="pc", means=("a",)), Term(says="PC", means=("b",))]) == ("a", "b")


_ANY = st.text(max_size=12)
_SAYS = st.text("ab c本机", min_size=1, max_size=4)
_MEANS = st.text("xy Z脑电", min_size=1, max_size=4)
_TERMS = st.lists(st.builds(Term, says=_SAYS, means=st.lists(_MEANS, min_size=1, max_size=3).map(tuple)), max_size=5)


@given(st.text("ab c本机,?xy", max_size=20), _TERMS)
def test_nothing_is_added_twice(text: str, dictionary: list[Term]) -> None:
    added = added_terms(text, dictionary)
    assert added_terms(with_added(text, added), dictionary) == ()


@given(_ANY, st.lists(_ANY))
def test_the_query_stays_as_it_is(text: str, added: list[str]) -> None:
    written = with_added(text, added)
    assert written.startswith(text)
    assert all(one in written for one in added)
    assert added or written == text


@given(_ANY, st.lists(st.builds(Term, says=st.text(min_size=1, max_size=3), means=st.tuples(_ANY)), max_size=4))
def test_any_text_and_dictionary(text: str, dictionary: list[Term]) -> None:
    added = added_terms(text, dictionary)
    assert added == added_terms(text, dictionary)
    assert set(added) <= {target for term in dictionary for target in term.means}


@given(st.text("abc", min_size=1), st.text("abc", min_size=1), st.text("abc", max_size=3))
def test_never_inside_of_a_latin_word(before: str, says: str, after: str) -> None:
    assert added_terms(f"{before}{says}{after}", [Term(says=says, means=("目标",))]) == ()


@given(st.sampled_from(["上网慢", "坏了", "多少钱", "怎么退货"]), st.sampled_from(["本本", "pc", "b站", "花呗"]))
def test_the_longest_entry_wins(after: str, says: str) -> None:
    dictionary = [Term(says=says, means=("short",)), Term(says=says + after, means=("long",))]
    assert added_terms(says + after, dictionary) == ("long",)


def _file(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.yaml", "pc: computer\nＰＣ: [Computer, 电脑]\nno: 404\n'~x': y\n"),
        ("t.yml", "pc:\n  - computer\n  - 电脑\nno: '404'\n~x: y\n"),
        ("t.csv", "says,means\npc,computer|电脑\n\nno,404\r\n~x,y\r\n"),
        ("T.CSV", 'pc,computer\npc," 电脑 "\n"no","404"\n~x,y'),
    ],
)
def test_a_dictionary_is_read(tmp_path: Path, name: str, content: str, bom: str) -> None:
    assert read_terms(_file(tmp_path, name, bom + content)) == (
        Term(says="pc", means=("computer", "电脑")),
        Term(says="no", means=("404",)),
        Term(says="~x", means=("y",)),
    )


@pytest.mark.parametrize(
    ("name", "content", "places"),
    [
        ("t.yaml", "pc:\nb: []\n'': x\nc: [d, {e: f}]\n? [g]\n: h\n",
         ["1: field means", "2: field means", "3: field says", "4: field means", "5: field says"]),
        ("t.yaml", "- pc\n", ["1: expected a mapping"]),
        ("t.yaml", "a: b\nc: [d\n", ["3: expected YAML"]),
        ("t.yaml", "# nothing yet\n", ["expected at least one term"]),
        ("t.csv", "says,means\n", ["expected at least one term"]),
        ("t.csv", 'pc,\n"a\nb",c\nonly\n,x\na,b,c\nd,e||f\n',
         ["1: field means", "4: field says", "5: field says", "6: field says", "7: field means"]),
        ("t.csv", 'a,\nb,"c\n', ["1: field means", "2: expected CSV"]),
        ("t.csv", "笔记本,电脑\n本本,x\n".encode("gbk"), ["1: expected UTF-8"]),
        ("t.csv", "a,b\n本,x\n".encode("utf-16"), ["1: expected UTF-8"]),
        ("t.txt", "a: b", ["expected a file that ends in"]),
    ],
)  # fmt: skip
def test_every_bad_line_is_reported(tmp_path: Path, name: str, content: str | bytes, places: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        read_terms(_file(tmp_path, name, content))
    lines = str(caught.value).splitlines()
    assert len(lines) == len(places)
    assert all(name in line and place in line for line, place in zip(lines, places, strict=True)), lines


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot read .*none\.csv"):
        read_terms(tmp_path / "none.csv")


@given(st.text(max_size=60), st.sampled_from([".yaml", ".csv"]))
def test_any_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: str, ending: str) -> None:
    path = tmp_path_factory.mktemp("any") / f"t{ending}"
    path.write_text(content, encoding="utf-8", errors="replace")
    with contextlib.suppress(ConfigError):
        assert all(term.says.strip() and all(target.strip() for target in term.means) for term in read_terms(path))


def test_the_examples_of_the_page(tmp_path: Path) -> None:
    section = PAGE.split("## Terms")[1].split("## Dates")[0]
    in_yaml = "\n".join(re.findall(r"^    (.+)$", section, re.MULTILINE))
    in_csv = re.search(r"```csv\n(.*?)```", section, re.DOTALL)
    assert in_csv
    dictionary = read_terms(_file(tmp_path, "t.yaml", in_yaml))
    assert read_terms(_file(tmp_path, "t.csv", in_csv[1])) == dictionary
    rows = re.findall(r"^\| (?!Query|---)(.+?) \| (?:(.+?) )?\| .+ \|$", section, re.MULTILINE)
    assert len(rows) == 6
    for query, added in rows:
        assert ", ".join(added_terms(query, dictionary)) == added
    assert added_terms("医保卡", terms(医保="医疗保险")) == ()
    assert added_terms("北大荒", terms(北大="北京大学", 北大荒="北大荒")) == ()
