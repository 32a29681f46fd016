import json

import numpy as np
import polars as pl
import pytest

from duels import Catalogue
from duels.cards import card
from duels.errors import InvalidValue
from duels.stores.document import fingerprint, from_document, to_document

HOUSES = pl.DataFrame(
    {
        "name": ["Hut", "Villa", "Loft", "Shed"],
        "price": ["€343,000", "€1,250,000", "€410,000", "€29,000"],
        "built": pl.Series(["1979-05-01", "1985-01-15", "2015-08-30", "1971-02-01"]).str.to_date(),
        "garden": [True, True, False, False],
        "colour": ["red", "white", "white", "blue"],
        "rooms": [1.5, 7.0, 3.0, 1.0],
        "vector": [[0.1, 0.2], [0.3, 0.1], [0.7, 0.9], [0.2, 0.2]],
        "photo": ["hut.png", None, "loft.png", "🏠.png"],
    }
)

CATALOGUES = {
    "array": Catalogue(np.random.default_rng(0).normal(size=(5, 3))),
    "named": Catalogue([[0.1], [1 / 3]], ["tea", "milk"], feature_names=["price"]),
    "names only": Catalogue(names=["tea", "milk", "☕"]),
    "table": Catalogue.from_frame(HOUSES),
}


@pytest.mark.parametrize("catalogue", CATALOGUES.values(), ids=CATALOGUES)
def test_a_catalogue_is_the_same_after_json(catalogue):
    again = from_document(json.loads(json.dumps(to_document(catalogue))))
    assert np.array_equal(again.features, catalogue.features)
    assert again.names == catalogue.names
    assert again.feature_names == catalogue.feature_names
    assert again.columns == catalogue.columns
    assert again.describe() == catalogue.describe()
    assert [card(again, arm) for arm in range(len(again))] == [
        card(catalogue, arm) for arm in range(len(catalogue))
    ]
    assert fingerprint(again) == fingerprint(catalogue)


def test_the_fingerprint_tells_what_is_asked_and_what_is_shown():
    other_photo = HOUSES.with_columns(photo=pl.lit("new.png"))
    other_price = HOUSES.with_columns(price=pl.col("price").str.replace("343", "344"))
    prints = {fingerprint(Catalogue.from_frame(t)) for t in (HOUSES, other_photo, other_price)}
    assert len(prints) == 3


@pytest.mark.parametrize(
    "change",
    [
        {"names": None},
        {"features": [[1.0]]},
        {"features": "no"},
        {"columns": [{"x": 1}]},
        {"table": "%%%"},
        {"table": "AAAA"},
    ],
)
def test_a_document_that_was_changed_is_refused(change):
    document = to_document(CATALOGUES["table"]) | change
    with pytest.raises(InvalidValue):
        from_document(document)
    with pytest.raises(InvalidValue):
        from_document({})
