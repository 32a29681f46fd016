"""A result as a notebook shows it."""

import duels

NAMES = ["<script>alert(1)</script>", 'te"a & milk', "water"]


def test_a_result_shows_what_it_says():
    session = duels.Session(duels.Catalogue([[1.0], [2.0], [3.0]], ["a", "b", "c"]), seed=2)
    session.answer(1, session.ask().left)
    result, html = session.result(), session.result()._repr_html_()
    assert f"<strong>{result.name}</strong>" in html
    assert "after 1 question)" in html
    assert html.count("<table>") == 2
    for each in result.ranking:
        assert f"<td>{each.name}</td>" in html


def test_nothing_of_a_catalogue_becomes_html():
    catalogue = duels.Catalogue([[1.0], [2.0], [3.0]], NAMES, feature_names=["<b>bold</b>"])
    html = duels.Session(catalogue, seed=2).result()._repr_html_()
    assert "<script>" not in html
    assert "<b>" not in html
    assert "te&quot;a &amp; milk" in html


def test_without_a_belief_there_is_a_favourite_alone():
    rule = duels.StoppingRule(questions=3)
    session = duels.Session(duels.Catalogue(names=["a", "b"]), "ws-w", seed=1, stopping=rule)
    html = session.result()._repr_html_()
    assert html == f"<p>Favourite: <strong>{session.result().name}</strong> (after 0 questions)</p>"
