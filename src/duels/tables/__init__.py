"""Arms given as arrays, as data frames or in files: what is read from them, column by column.

- `given`: features and names given as arrays and lists, checked.
- `column`: what a column became (`Column`, `Reading`, `Description`).
- `frames`: data frames of polars and pandas.
- `files`: CSV, Parquet and JSON files as data frames.
- `written`: numbers, yes and no, dates and lists written as text.
- `spreadsheet`: tables for other programs, in which nothing is taken for a formula.
- `fates`: what becomes of each column. `look`: a look at it before it is accepted.
- `read`: which column becomes what, and the features it makes.

`files`, `written` and `read` import polars, which takes a while: import them where a table is read.
"""
