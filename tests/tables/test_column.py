from duels.tables.column import Description, Reading


def test_a_description_prints_as_a_table_and_shortens_long_columns():
    rows = Description(
        [
            Reading("emb", "list", "lists of 384 numbers", tuple(f"emb[{i}]" for i in range(384))),
            Reading("id", "left out", "it counts the rows"),
        ]
    )
    assert str(rows).splitlines() == [
        "column  became    features           why",
        "emb     list      emb[0], ... (384)  lists of 384 numbers",
        "id      left out  -                  it counts the rows",
    ]
    assert rows[1].name == "id"
    assert rows[1].features == ()
