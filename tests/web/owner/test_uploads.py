"""Tables as owners upload them, good and bad, and the pictures that come along."""

from __future__ import annotations

import html
import io
import zipfile

import polars as pl
import pytest

from tests.web.owner.conftest import png, zipped

DRINKS = "name,price,strong,photo\ntea,2.5,3,Tea.PNG\nmilk,2,1,milk.png\nespresso,3,9,no.png\n"


def said(answer):
    return html.unescape(answer.text)


def test_from_a_file_to_a_session(server, owner):
    pictures = [("tea.png", png()), ("more.zip", zipped(milk_png=png("blue"), other_png=png()))]
    preview = owner.preview(DRINKS, pictures=pictures, name="hot drinks")
    page = said(owner.http.get(preview))
    assert "3 arms with 2 features" in page
    assert "2 found; without a file: no.png; 1 file that no row names" in page
    picture = owner.http.get(f"{preview}/pictures/tea.png")
    assert picture.headers["content-type"] == "image/webp"
    again = owner.post(preview, **{"do": "update", "name": "drinks", "column-2": "one-hot"})
    assert "3 arms with 4 features" in said(again)
    made = owner.accept(preview, **{"column-2": "one-hot", "column-3": "picture"})
    assert made.status_code == 303, said(made)
    entry = server.store.catalogues.find("drinks")
    assert made.headers["location"] == f"/owner/catalogues/{entry.id}"
    assert (entry.n_arms, entry.n_features, entry.settings.policy) == (3, 4, "ws-w")
    assert entry.settings.stopping == {"questions": 3}
    assert server.store.catalogues.picture_names(entry.id) == {"Tea.PNG", "milk.png"}
    assert owner.http.get(preview).status_code == 404
    _, question = server.begin()
    assert question["number"] == 1


def test_settings_of_a_new_catalogue(server, owner):
    preview = owner.preview(DRINKS)
    fields = {"policy": "least-regret", "ends": "", "weak": "0,25", "strong": "3"}
    assert owner.accept(preview, **fields).status_code == 303
    settings = server.store.catalogues.find("drinks").settings
    assert (settings.policy, settings.stopping) == ("least-regret", None)
    assert settings.strengths == {"a little": 0.25, "clearly": 3.0}


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"policy": "best-ever"}, "no policy 'best-ever'"),
        ({"questions": "many"}, "must be a number, got 'many'"),
        ({"questions": "2.5"}, "must be a whole number"),
        ({"questions": ""}, "all three fields are empty"),
        ({"confidence": "100"}, "certainty never comes"),
        ({"questions": "", "confidence": "95"}, "add questions=40"),
        ({"weak": "-1"}, "-1"),
        ({"name": ""}, "1 to 100 printable characters"),
        ({"name": "x" * 101}, "1 to 100 printable characters"),
        ({"name": "taken"}, "there is a 'taken' already"),
    ],
)
def test_what_cannot_be_accepted_is_said_and_what_was_written_is_kept(server, owner, fields, why):
    server.add("taken")
    preview = owner.preview(DRINKS)
    answer = owner.accept(preview, **fields)
    assert answer.status_code in (404, 409, 422)
    assert why.casefold() in said(answer).casefold()
    for field, value in fields.items():
        assert field == "name" or f'value="{value}"' in said(answer)
    assert [each.name for each in server.store.catalogues.entries()] == ["taken"]
    assert owner.http.get(preview).status_code == 200


def test_an_upload_is_thrown_away(owner):
    preview = owner.preview(DRINKS)
    assert owner.post(preview, do="discard").headers["location"] == "/owner"
    assert owner.http.get(preview).status_code == 404
    assert "Upload the file again" in said(owner.http.get(preview))


@pytest.mark.parametrize(
    "content",
    [
        "\ufeff" + DRINKS,
        DRINKS.replace(",", ";"),
        DRINKS.replace("tea,", '"tea, ""black"" 🫖",'),
        DRINKS.replace("\n", "\r\n") + "\r\n,,,\r\n\r\n",
        "name,price\n" + "".join(f"drink {k},{k * k % 977}\n" for k in range(10_000)),
    ],
    ids=["BOM", "semicolons", "quotes and emoji", "an empty row", "10,000 rows"],
)
def test_odd_tables_that_are_fine(server, owner, content):
    preview = owner.preview(content)
    assert "All of it can be used" in said(owner.http.get(preview))
    assert owner.accept(preview).status_code == 303
    entry = server.store.catalogues.find("drinks")
    assert entry.n_arms == (10_000 if "drink 1," in content else 3)
    server.begin()


def test_parquet_and_json(owner):
    table, written = pl.DataFrame({"name": ["tea", "milk"], "price": [2.5, 2.0]}), io.BytesIO()
    table.write_parquet(written)
    for name, content in (("d.parquet", written.getvalue()), ("d.json", table.write_json())):
        page = said(owner.http.get(owner.preview(content, file=name)))
        assert "2 arms with 1 feature." in page


@pytest.mark.parametrize(
    ("content", "name", "why", "way_out"),
    [
        ("", "d.csv", "it is empty", "Add rows"),
        ("name,price\ntea,2\n", "d.csv", "it holds 1", "Add rows"),
        ("3,4\n5,6\n7,8\n", "d.csv", "has numbers only: 3, 4", "Put a line of names above it"),
        ("name,name\ntea,2\nmilk,3\n", "d.csv", "occur more than once: 'name'", "Rename or drop"),
        (
            "name,price\ntea,2\nmilk,3,4,5\n",
            "d.csv",
            "but line 3 of d.csv has 4",
            "into double quotes",
        ),
        (zipped(d_csv=DRINKS), "d.csv", "it is a zip archive or a spreadsheet", "Unpack it"),
        (zipped(d_csv=DRINKS), "d.zip", "must be a file that ends in", "Save it as CSV"),
        (b"PAR1 no", "d.parquet", "must be a Parquet table", "save it in that form"),
        ('{"name": ', "d.json", "must be a JSON list of objects", "save it in that form"),
        (DRINKS.encode("utf-16"), "d.csv", "a CSV table in UTF-8", "save it in that form"),
        (DRINKS, "d.exe", "must be a file that ends in", "Save it as CSV"),
        (b"\x1f\x8b\x08" + bytes(50), "d.csv", "a CSV table in UTF-8", "save it in that form"),
        ("a\n" + "1\n" * 100_001, "d.csv", "at most 100,000 rows", "Upload a part of it"),
    ],
)
def test_tables_that_cannot_be_read(server, owner, content, name, why, way_out):
    answer = owner.upload(content, file=name)
    assert answer.status_code in (422, 503), answer.status_code
    assert why in said(answer)
    assert way_out in said(answer)
    assert "/tmp" not in answer.text
    assert "duels-upload" not in answer.text


def test_wide_tables(owner):
    header = ",".join(f"c{k}" for k in range(2001))
    row = ",".join("12"[k % 2] for k in range(2001))
    answer = owner.upload(f"{header}\n{row}\n{row}\n")
    assert "at most 100,000 rows and 2,000 columns here, and drinks.csv has 2 and 2,001" in said(
        answer
    )


def test_no_file(owner):
    answer = owner.post("/owner/upload", files={"x": ("", b"")})
    assert answer.status_code == 422
    assert "no file was chosen" in said(answer)


@pytest.mark.parametrize(
    ("content", "why", "way_out"),
    [
        (
            "name,price\ntea,2\nmilk,about 3\ncoffee,4\n",
            "has the text 'about 3' in row 2",
            {1: "left out"},
        ),
        ("name,price\ntea,2\nmilk,\ncoffee,4\n", "has none in row 2", {1: "shown only"}),
        ("name,price\ntea,2\ntea,3\nmilk,3\n", "occur more than once: 'tea'", {0: "shown only"}),
        ("name,price\ntea,2 €\nmilk,$3\n", "it mixes $ and €", {1: "one-hot"}),
    ],
)
def test_columns_that_cannot_be_read_are_shown_and_can_be_changed(
    server, owner, content, why, way_out
):
    preview = owner.preview(content)
    page = said(owner.http.get(preview))
    assert "one column cannot be read as it is set below" in page
    assert why in page
    assert owner.accept(preview).status_code == 422
    columns = {f"column-{place}": became for place, became in way_out.items()}
    assert owner.accept(preview, **columns).status_code == 303


def test_a_table_without_a_header_is_suspected(owner):
    page = said(owner.http.get(owner.preview("tea,2\nmilk,3\ncocoa,4\n")))
    assert "there is a column called 2" in page
    assert "put a line of names above it" in page


def test_nothing_that_is_uploaded_becomes_markup(owner):
    evil = "<script>alert(1)</script>"
    table = f'name,"{evil}"\n"<img src=x onerror=alert(2)>","{evil}"\nmilk,b\ntea,b\n'
    answer = owner.http.get(owner.preview(table, file=f"{evil}.csv"))
    assert "<script>alert" not in answer.text
    assert "<img src=x" not in answer.text
    assert "script-src 'self'" in answer.headers["content-security-policy"]


def bomb():
    return zipped(tea_png=bytes(19_000_000))


def wrong_size():
    """A zip whose header says that a file is small."""
    data = bytearray(zipped(tea_png=b"x" * 5000))
    place = data.index(b"PK\x01\x02")
    data[place + 24 : place + 28] = (10).to_bytes(4, "little")
    return bytes(data)


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("p.zip", b"no zip", "cannot be read as one"),
        ("p.zip", bomb(), "times as large as it is packed"),
        ("p.zip", wrong_size(), "cannot be read as one"),
        ("p.zip", zipped(**{f"{k}_png": b"" for k in range(2001)}), "at most 2,000 files"),
    ],
    ids=["no zip", "bomb", "wrong size", "many files"],
)
def test_zips_that_are_refused(owner, name, content, why):
    answer = owner.upload(DRINKS, pictures=[(name, content)])
    assert answer.status_code == 422
    assert why in said(answer)


def test_files_that_are_no_pictures_are_passed_over_and_named(owner):
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("../../../etc/tea.png", png())
        archive.writestr("__MACOSX/milk.png", b"no picture")
        archive.writestr("notes.html", "<script>alert(1)</script>")
        archive.writestr("milk.png", b"<svg onload=alert(1)>")
    page = said(owner.http.get(owner.preview(DRINKS, pictures=[("p.zip", written.getvalue())])))
    assert "1 found; without a file: milk.png, no.png" in page
    assert "Without notes.html: it is no picture." in page
    assert "'milk.png' cannot be read as one" in page


def test_pictures_can_come_later(server, owner):
    preview = owner.preview(DRINKS)
    more = [("pictures", ("milk.png", png()))]
    page = owner.post(preview, files=more, do="update", name="drinks")
    assert "1 found" in said(page)
    assert owner.accept(preview).status_code == 303
    entry = server.store.catalogues.find("drinks")
    assert server.store.catalogues.picture_names(entry.id) == {"milk.png"}


@pytest.mark.parametrize("declared", [True, False])
def test_a_body_of_100_mb_is_answered_with_a_page(owner, declared):
    head = b'--b\r\nContent-Disposition: form-data; name="table"; filename="d.csv"\r\n\r\n'
    parts = [head, *(100 * [b"x" * 1_000_000])]
    body = b"".join(parts) if declared else iter(parts)
    kind = {"Content-Type": "multipart/form-data; boundary=b"}
    answer = owner.http.post("/owner/upload", content=body, headers=kind)
    assert answer.status_code == 413
    assert answer.headers["content-type"].startswith("text/html")
    assert "at most 50,000,000 bytes" in answer.text


def test_a_name_from_an_odd_file_name(server, owner):
    preview = owner.preview(DRINKS, file="../" + "long" * 50 + "\n.csv")
    assert f'value="{"long" * 25}"' in owner.http.get(preview).text
