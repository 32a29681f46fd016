"""``duels choose``, in a real terminal and with answers from standard input."""

import json
import os
import signal
import subprocess
import sys
import zipfile

import pytest

import duels
from duels.demo import demo_catalogue
from tests.cli.choosing.terminal import Terminal

DUELS = [sys.executable, "-m", "duels", "choose"]
FAST = ["--policy", "ws-w", "--seed", "3"]


@pytest.fixture
def terminals(tmp_path):
    """Makes terminals in the folder of the test, and leaves none behind."""
    made = []

    def make(*words, **settings):
        made.append(Terminal("choose", *words, folder=tmp_path, **settings))
        return made[-1]

    yield make
    for terminal in made:
        terminal.stop()


@pytest.fixture
def drinks(tmp_path):
    path = tmp_path / "drinks.csv"
    path.write_text(
        "name,sweet,strong\ncola,5,1\ncoffee,0,5\ncocoa,4,3\nwater,1,1\ntea,1,3\njuice,4,1\n"
    )
    return path


def run(folder, *words, lines=(), **environment):
    """`duels choose` without a terminal."""
    return subprocess.run(
        [*DUELS, *map(str, words)],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=folder,
        env={**os.environ, "DUELS_QUIET": "1", "PYTHONUTF8": "1", **environment},
        check=False,
    )


def facts(path):
    """The lines of a file of answers behind the first, in short."""
    shown = []
    for line in path.read_text().splitlines()[1:]:
        record = json.loads(line)
        if "fact" not in record:
            shown.append("carried on")
            continue
        said = record.get("kind", "") + ("!" if record.get("strength") == "clearly" else "")
        shown.append(f"{record['fact'][0]}{record['number']}{said}")
    return " ".join(shown)


# Without a terminal


def test_answers_from_standard_input(drinks):
    kept = drinks.with_name("drinks.answers.jsonl")
    done = run(drinks.parent, drinks, *FAST, lines=["1", "2!", "!1", "", "=", "s", "u", "q"])
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Question") == 7
    assert "Favourite so far: " in done.stdout
    assert "\x1b" not in done.stdout
    assert str(kept) in done.stderr
    assert facts(kept) == ("q1 a1left q2 a2right! q3 a3left! q4 a4tie q5 a5skip q6 u5")


def test_it_goes_on_where_it_was_left(drinks):
    """In two parts it is the same dialogue as at once, question for question."""
    kept = drinks.with_name("drinks.answers.jsonl")
    run(drinks.parent, drinks, *FAST, lines="1221")
    run(drinks.parent, drinks, lines="12")
    in_parts = facts(kept)
    run(drinks.parent, drinks, *FAST, "--fresh", lines="122112")
    assert facts(kept) == in_parts
    arms = [
        [line for line in map(json.loads, file.read_text().splitlines()) if "left" in line]
        for file in drinks.parent.glob("drinks.answers*.jsonl")
    ]
    assert len(arms) == 2
    for first, second in zip(*arms, strict=True):
        assert {**first, "at": ""} == {**second, "at": ""}


def test_what_is_recorded_is_a_session(drinks):
    run(drinks.parent, drinks, *FAST, lines="1212")
    first, *others = drinks.with_name("drinks.answers.jsonl").read_text().splitlines()
    begun = json.loads(first)
    session = duels.Session.replay(
        duels.Catalogue.from_csv(drinks),
        [duels.facts.from_record(json.loads(line)) for line in others],
        begun["policy"],
        seed=begun["seed"],
    )
    assert session.questions == 4


def test_the_demo_to_its_end_and_on(tmp_path):
    done = run(tmp_path, "--questions", "3", "--seed", "1", "--top", "4", lines="111")
    assert done.returncode == 0, done.stderr
    favourite = done.stdout.split("Favourite: ")[1]
    assert favourite.count("%") == 5
    assert "4. " in favourite
    assert "5. " not in favourite
    assert "What mattered:" in favourite
    again = run(tmp_path, lines="1")
    assert "Question" not in again.stdout
    assert again.stdout.startswith("Favourite: ")
    assert "--more" in again.stderr
    more = run(tmp_path, "--more", lines="2")
    assert "Question 4" in more.stdout
    assert facts(tmp_path / "cabins.answers.jsonl").endswith("q5")
    on = run(tmp_path, "--more", "--questions", "5", lines="12")
    assert "Favourite: " in on.stdout


def test_a_wrong_line_is_named_and_what_came_before_is_kept(drinks):
    done = run(drinks.parent, drinks, *FAST, lines=["1", "", "left", "2"])
    assert done.returncode == 2
    assert "got 'left' in line 3" in done.stderr
    assert facts(drinks.with_name("drinks.answers.jsonl")) == "q1 a1left q2"


def test_undo_at_the_beginning(drinks):
    done = run(drinks.parent, drinks, *FAST, lines="u")
    assert done.returncode == 2
    assert "This is the beginning" in done.stderr


def test_other_arms_and_settings_are_refused(drinks):
    run(drinks.parent, drinks, *FAST, "--questions", "9", lines="1")
    for words, said in [
        (["--policy", "rucb"], "keeps the policy it was begun with, which is ws-w"),
        (["--seed", "4"], "keeps the seed"),
        (["--questions", "8"], "--more"),
    ]:
        refused = run(drinks.parent, drinks, *words)
        assert refused.returncode == 2
        assert said in refused.stderr
        assert "--fresh" in refused.stderr
    drinks.write_text(drinks.read_text().replace("juice", "lemonade"))
    changed = run(drinks.parent, drinks)
    assert changed.returncode == 2
    assert "--fresh" in changed.stderr
    fresh = run(drinks.parent, drinks, *FAST, "--fresh", lines="2")
    assert fresh.returncode == 0
    assert "The earlier answers are in " in fresh.stderr
    assert sorted(facts(path)[:8] for path in drinks.parent.glob("*.jsonl")) == [
        "q1 a1lef",
        "q1 a1rig",
    ]


def test_answers_go_where_they_are_wanted(drinks, tmp_path):
    elsewhere = tmp_path / "mine.jsonl"
    run(drinks.parent, drinks, *FAST, "--answers", elsewhere, lines="1")
    assert facts(elsewhere) == "q1 a1left q2"
    assert not drinks.with_name("drinks.answers.jsonl").exists()


def test_a_policy_that_is_not_there_leaves_no_file(drinks):
    done = run(drinks.parent, drinks, "--policy", "least-regrets")
    assert done.returncode == 2
    assert "Did you mean 'least-regret'?" in done.stderr
    assert not drinks.with_name("drinks.answers.jsonl").exists()


def test_a_line_cut_short_is_mended_and_said(drinks):
    kept = drinks.with_name("drinks.answers.jsonl")
    run(drinks.parent, drinks, *FAST, lines="12")
    kept.write_bytes(kept.read_bytes()[:-20])
    done = run(drinks.parent, drinks, lines="1")
    assert done.returncode == 0
    assert "was cut short" in done.stderr
    assert facts(kept) == "q1 a1left q2 a2right q3 a3left q4"


def test_a_kill_at_any_moment_loses_no_answer(drinks):
    """Each answer that was followed by a question is in the file, once."""
    kept = drinks.with_name("drinks.answers.jsonl")
    run(drinks.parent, drinks, *FAST)
    answered = 0
    for _ in range(3):
        process = subprocess.Popen(
            [*DUELS, str(drinks)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "DUELS_QUIET": "1", "PYTHONUNBUFFERED": "1"},
        )
        for _ in range(3):
            while not process.stdout.readline().startswith("Question"):
                pass
            process.stdin.write("1\n")
            process.stdin.flush()
        while not process.stdout.readline().startswith("Question"):
            pass
        answered += 3
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert facts(kept).count("a") == answered


# In a terminal


def test_a_second_process_is_refused_while_the_first_goes_on(drinks, tmp_path, terminals):
    terminal = terminals(drinks, *FAST)
    terminal.wait("question 1")
    for words in ([], ["--fresh"]):
        second = run(tmp_path, drinks, *words, lines="2")
        assert second.returncode == 2
        assert "in use by another `duels choose`" in second.stderr
    terminal.press("1")
    terminal.wait("question 2")
    terminal.press("q")
    assert terminal.end() == 0
    assert facts(tmp_path / "drinks.answers.jsonl") == "q1 a1left q2"
    assert run(tmp_path, drinks, lines="2").returncode == 0


def test_keys(drinks, tmp_path, terminals):
    """Digits, arrows, Shift, !, undo back to the beginning, and leaving."""
    kept = tmp_path / "drinks.answers.jsonl"
    terminal = terminals(drinks, *FAST)
    terminal.wait("question 1", "Which do you prefer?", "2  ─╮")
    for number, key in enumerate(["1", "\x1b[C", "\x1b[1;2D", "\x1b[1;2C", "=", "s"], start=2):
        terminal.press(key)
        terminal.wait(f"question {number}")
    terminal.press("!")
    terminal.wait("clearly better?")
    terminal.press("2")
    terminal.wait("question 8")
    terminal.press("!!1")
    terminal.wait("question 9")
    assert facts(kept) == (
        "q1 a1left q2 a2right q3 a3left! q4 a4right! q5 a5tie q6 a6skip q7 a7right! q8 a8left q9"
    )
    terminal.press("uuuuuuuu")
    terminal.wait("question 1 ")
    terminal.press("u")
    terminal.wait("nothing to undo")
    terminal.press("x\x1b[5~q")
    assert terminal.end() == 0
    assert "Your favourite so far" in terminal.shown
    assert terminal.raw.rindex("\x1b[?1049l") > terminal.raw.rindex("\x1b[?1049h")
    assert "goes on from here" in terminal.shown.replace("\n", " ")


def test_to_the_end_and_on(drinks, tmp_path, terminals):
    terminal = terminals(drinks, "--questions", "2", "--seed", "3")
    terminal.wait("question 1")
    terminal.press("1")
    terminal.wait("question 2")
    terminal.press("1")
    terminal.wait("Your favourite", "What mattered to you", "keep asking")
    terminal.press("u")
    terminal.wait("question 2")
    terminal.press("2")
    terminal.wait("Your favourite", "keep asking")
    terminal.press("m")
    terminal.wait("question 3")
    terminal.press("q")
    assert terminal.end() == 0


def test_the_keys_stay_in_sight_below_a_result(tmp_path, terminals):
    run(tmp_path, "--questions", "3", "--seed", "1", lines="111")
    for lines in (40, 24, 15):
        terminal = terminals(lines=lines, columns=60)
        shown = terminal.wait("Your favourite", "keep asking")
        assert ("What mattered" in shown) == (lines > 15)
        terminal.press("q")
        assert terminal.end() == 0


def test_going_on_shows_the_question_that_was_left(drinks, tmp_path, terminals):
    run(tmp_path, drinks, *FAST, lines="12")
    terminal = terminals(drinks)
    terminal.wait("question 3", "getting ready")
    terminal.wait("question 3")
    terminal.press("q")
    assert terminal.end() == 0


@pytest.mark.parametrize("columns", [110, 80, 60, 40, 24])
def test_every_width(tmp_path, columns, terminals):
    terminal = terminals(*FAST, columns=columns, lines=40)
    shown = terminal.wait("cabins", "Which do you prefer?")
    assert max(map(len, shown.splitlines())) <= columns
    assert ("╭" in shown) == (columns >= 60)
    terminal.press("q")
    assert terminal.end() == 0


def test_a_low_window_still_shows_the_keys(tmp_path, terminals):
    terminal = terminals(*FAST, lines=14)
    shown = terminal.wait("question 1", "not shown")
    assert "q leave" in shown
    assert len(shown.splitlines()) < 14
    terminal.resize(60, 30)
    terminal.wait("question 1", "╭")
    terminal.press("q")
    assert terminal.end() == 0


def test_without_colour(tmp_path, terminals):
    terminal = terminals(*FAST, NO_COLOR="1")
    terminal.wait("question 1", "•")
    terminal.press("q")
    assert terminal.end() == 0
    assert "\x1b[36m" not in terminal.raw
    assert "38;5" not in terminal.raw


def test_a_simple_terminal_gets_plain_text_and_asks_again(drinks, tmp_path, terminals):
    terminal = terminals(drinks, *FAST, TERM="dumb")
    terminal.wait("Question 1")
    terminal.press("what\n")
    terminal.wait("An answer is one of")
    terminal.press("1\n")
    terminal.wait("Question 2")
    terminal.press("q\n")
    assert terminal.end() == 0


def test_ctrl_c_leaves(drinks, tmp_path, terminals):
    terminal = terminals(drinks, *FAST)
    before = terminal.settings()
    terminal.wait("question 1")
    assert terminal.settings() != before
    terminal.press("1")
    terminal.wait("question 2")
    terminal.press("\x03")
    assert terminal.end() == 130
    assert "Stopped." in terminal.shown
    assert "Traceback" not in terminal.shown
    assert terminal.raw.rindex("\x1b[?1049l") > terminal.raw.rindex("\x1b[?1049h")
    assert facts(tmp_path / "drinks.answers.jsonl") == "q1 a1left q2"


def test_a_signal_to_end_gives_the_terminal_back(drinks, tmp_path, terminals):
    terminal = terminals(drinks, *FAST)
    before = terminal.settings()
    terminal.wait("question 1")
    assert terminal.settings() != before
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.end() == 143
    assert terminal.raw.rindex("\x1b[?1049l") > terminal.raw.rindex("\x1b[?1049h")
    assert facts(tmp_path / "drinks.answers.jsonl") == "q1"


def test_ctrl_c_while_it_gets_ready_gives_the_terminal_back(drinks, tmp_path, terminals):
    """What was left is shown at once; what takes long comes only then, compiling above all."""
    run(tmp_path, drinks, "--seed", "3")
    terminal = terminals(
        drinks, NUMBA_CACHE_DIR=str(tmp_path / "empty"), NUMBA_DISABLE_JIT="0", DUELS_QUIET=""
    )
    terminal.wait("question 1", "getting ready")
    terminal.press("\x03")
    assert terminal.end() == 130
    assert terminal.shown.count("Stopped.") == 1
    assert terminal.raw.rindex("\x1b[?1049l") > terminal.raw.rindex("\x1b[?1049h")
    assert terminal.raw.rindex("\x1b[?1049l") < terminal.raw.rindex("Stopped.")


def test_a_table_without_a_header_can_be_seen_to_be_one(tmp_path):
    """What its columns became is said at the beginning, as by the other commands."""
    path = tmp_path / "flats.csv"
    path.write_text("tea,4\nmilk,5\nrum,7\n")
    done = run(tmp_path, path, *FAST, lines="1")
    assert "tea     name" in done.stderr
    assert "column" not in run(tmp_path, path, lines="1").stderr


def test_wide_names_keep_the_frames_straight(tmp_path, terminals):
    path = tmp_path / "wide.csv"
    path.write_text("name,café,価格\n日本茶 🍵,1,€5\n👩‍👩‍👧 tea,2,€7\nevil\x1b[31m,3,€1\n", "utf-8")
    terminal = terminals(path, *FAST, PYTHONUTF8="1")
    for number in (1, 2, 3):
        terminal.wait(f"question {number}", "価格")
        terminal.press("1")
    terminal.press("q")
    assert terminal.end() == 0
    assert "evil\x1b[31m" not in terminal.raw
    assert "日本茶 🍵" in terminal.shown


# Bad input


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"name,price\ntea,3\n", "at least two arms"),
        (b"3,4\n5,6\n7,8\n", "first line must name its columns"),
        (b"PK\x03\x04\x14\0\0\0\xff\xfe" + bytes(range(256)), "must be a CSV table"),
        (None, "There must be a file"),
    ],
)
def test_files_that_cannot_be_used(tmp_path, content, said):
    path = tmp_path / "flats.csv"
    if content is not None:
        path.write_bytes(content)
    done = run(tmp_path, path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("*.jsonl"))


def test_a_first_line_that_may_be_a_row_is_told(tmp_path):
    (tmp_path / "flats.csv").write_text("tea,3\nmilk,4\nwater,5\n")
    done = run(tmp_path, "flats.csv", *FAST, lines=["q"])
    assert done.returncode == 0
    assert "there is a column called 3. If the first line is a row" in done.stderr


def test_a_real_zip_called_csv(tmp_path):
    with zipfile.ZipFile(tmp_path / "flats.csv", "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("flats.csv", "name,price\n" + "tea,3\n" * 500)
    done = run(tmp_path, "flats.csv")
    assert done.returncode == 2
    assert "flats.csv must be a CSV table" in done.stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("\ufeffname,price\ntea,3\nmilk,4\n", "price: "),
        ("name;price;m²\ntea;3,5;1\nmilk;4,5;2\n", "m²: "),
        ('name,price\n"tea, ""green""",3\nmilk,4\n', 'tea, "green"'),
        ("name,price\n🍵 tea,3\n🥛,4\n", "🍵 tea"),
        ("name,price\ntea,3\n,\nmilk,4\n", "tea"),
        ("name,price\ntea,3\ntea,4\nmilk,5\n", "tea"),
        ("name,price\ntea,3\nmilk,cheap\nrum,9\n", "price: "),
    ],
)
def test_odd_tables_are_read_or_refused_in_words(tmp_path, content, said):
    path = tmp_path / "flats.csv"
    path.write_text(content, encoding="utf-8")
    done = run(tmp_path, path, *FAST, lines="112")
    assert "Traceback" not in done.stderr
    if done.returncode == 0:
        assert said in done.stdout
    else:
        assert said.strip(": ") in done.stderr
        assert done.stderr.startswith("duels: ")


def test_ten_thousand_rows(tmp_path):
    path = tmp_path / "many.csv"
    rows = "".join(f"arm {k},{k % 97},{k % 89}\n" for k in range(10_000))
    path.write_text("name,price,size\n" + rows)
    done = run(tmp_path, path, lines="12")
    assert done.returncode == 0, done.stderr
    assert "Question 3" in done.stdout


def test_nothing_of_a_server_is_needed(drinks):
    """What `pip install duels` brings is enough."""
    program = (
        "import sys\n"
        "for name in ('sqlalchemy', 'fastapi', 'uvicorn', 'alembic', 'httpx', 'jinja2'):\n"
        "    sys.modules[name] = None\n"
        "from duels.cli import main\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "choose", str(drinks), *FAST],
        input="1\n2\n",
        capture_output=True,
        text=True,
        cwd=drinks.parent,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_demo_is_there():
    assert len(demo_catalogue()) == 24
