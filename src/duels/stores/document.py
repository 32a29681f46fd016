"""A catalogue as a document for JSON, from which exactly the same catalogue is made again.

How the columns of a table were read is part of it, so that a session that was begun with it goes
on with the same questions even if a later version of the package reads tables differently.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
from typing import Any

import numpy as np

from duels.catalogue import Catalogue
from duels.errors import InvalidValue
from duels.tables.column import Column, Description, Reading

Document = dict[str, Any]


def to_document(catalogue: Catalogue) -> Document:
    """Names, features, columns, how they were read, and the table (Parquet in base64).

    >>> to_document(Catalogue([[1.0], [2.0]], ["tea", "milk"]))["features"]
    [[1.0], [2.0]]
    """
    table = None
    if catalogue.table is not None:
        buffer = io.BytesIO()
        catalogue.table.write_parquet(buffer)
        table = base64.b64encode(buffer.getvalue()).decode()
    return {
        "names": list(catalogue.names),
        "feature_names": list(catalogue.feature_names),
        "features": catalogue.features.tolist(),
        "columns": [column._asdict() for column in catalogue.columns],
        "description": [reading._asdict() for reading in catalogue.describe()],
        "table": table,
    }


def from_document(document: Document) -> Catalogue:
    """The catalogue of a document.

    >>> from_document(to_document(Catalogue(names=["tea", "milk"]))).names
    ('tea', 'milk')
    """
    try:
        names, feature_names = document["names"], document["feature_names"]
        features = np.array(document["features"], np.float64).reshape(len(names), -1)
        if document["table"] is None:
            return Catalogue(features, names, feature_names=feature_names)
        return _with_table(document, features)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InvalidValue(
            "A catalogue's document must have the parts that `duels export` writes, and cannot be "
            f"read ({problem}). Use the lines as they were written."
        ) from problem


def _with_table(document: Document, features: Any) -> Catalogue:
    import polars as pl  # which takes a while to import

    from duels.tables.read import Arms

    try:
        table = pl.read_parquet(io.BytesIO(base64.b64decode(document["table"])))
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise ValueError(str(problem)) from problem
    if table.height != len(features):
        raise ValueError(f"{table.height} rows for {len(features)} arms")
    columns = [
        Column(**{key: _tuples(value) for key, value in column.items()})
        for column in document["columns"]
    ]
    readings = [
        Reading(**{key: _tuples(value) for key, value in reading.items()})
        for reading in document["description"]
    ]
    return Catalogue._from_arms(
        Arms(
            features,
            document["names"],
            document["feature_names"],
            tuple(columns),
            Description(readings),
            table,
        )
    )


def fingerprint(catalogue: Catalogue) -> str:
    """The same for catalogues that ask the same questions and look the same.

    >>> drinks = Catalogue(names=["tea", "milk"])
    >>> fingerprint(drinks) == fingerprint(from_document(to_document(drinks)))
    True
    """
    document = to_document(catalogue)
    if catalogue.table is not None:  # whose bytes differ between versions of polars
        document["table"] = catalogue.table.write_json()
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def _tuples(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
