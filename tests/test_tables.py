"""Tables: rows that are made once, and errors that say what to do."""

from __future__ import annotations

import csv
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from forms import Form, digits_file, lose_the_end

pytestmark = pytest.mark.usefixtures("no_cache_of_this_person")


@pytest.fixture
def tabular(forms: dict[str, Form]) -> Form:
    return forms["tabular"]


def table_of(path: Path) -> pyarrow.Table:
    return parquet.read_table(path)


def change(path: Path, **columns: Any) -> None:
    """Put other columns into a table; None takes one out."""
    table = table_of(path)
    for name, values in columns.items():
        place = table.schema.get_field_index(name)
        table = table.remove_column(place)
        if values is not None:
            table = table.add_column(place, name, pyarrow.array(values))
    parquet.write_table(table, path)


def as_csv(path: Path) -> Path:
    """Turn a table into a CSV file."""
    table = table_of(path)
    path.unlink()
    path = path.with_suffix(".csv")
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.column_names)
        writer.writerows(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return path


def keep_lines(path: Path, count: int) -> None:
    path.write_text("\n".join(path.read_text().splitlines()[:count]) + "\n")


def test_csv_gives_the_same_as_parquet(tabular: Form, tmp_path: Path) -> None:
    path = digits_file(tabular, tmp_path)
    expected = np.array(tabular.dataset(tmp_path).rows)
    as_csv(path)
    found = tabular.dataset(tmp_path).rows
    assert len(found) == 1260 and np.array_equal(found, expected)
    assert expected["features"].max() == 16


def test_rows_are_made_again_only_where_the_table_or_its_columns_changed(
    tabular: Form, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = digits_file(tabular, tmp_path)
    tabular.dataset(tmp_path)
    table = tabular.module("runtime.table")
    written: list[Path] = []
    write_rows = table.write_rows

    def noted(path: Path, *more: Any) -> None:
        written.append(path)
        write_rows(path, *more)

    monkeypatch.setattr(table, "write_rows", noted)
    assert len(tabular.dataset(tmp_path)) == 1260
    assert written == []
    parquet.write_table(table_of(path).slice(5), path)
    assert len(tabular.dataset(tmp_path)) == 1255
    monkeypatch.setattr(tabular.module("data"), "LABEL", "pixel_0")
    tabular.dataset(tmp_path)
    assert len(written) == 2
    assert not list(path.parent.glob(".cache/*.tmp"))


def test_several_that_make_rows_at_once_do_not_harm_each_other(
    tabular: Form, tmp_path: Path
) -> None:
    path = digits_file(tabular, tmp_path)
    expected = np.array(tabular.dataset(tmp_path).rows)
    (made,) = path.parent.glob(".cache/*")
    made.unlink()
    with ThreadPoolExecutor(4) as threads:
        found = [
            f.result().rows for f in [threads.submit(tabular.dataset, tmp_path) for _ in range(8)]
        ]
    assert all(np.array_equal(rows, expected) for rows in found)
    assert len(list(path.parent.glob(".cache/*"))) == 1


def test_rows_go_to_the_users_folder_where_the_data_cannot_be_written(
    tabular: Form, tmp_path: Path
) -> None:
    path = digits_file(tabular, tmp_path)
    (path.parent / ".cache").write_text("a file in its place, which stops root too")
    dataset = tabular.dataset(tmp_path)
    assert dataset.rows_path.is_relative_to(tmp_path / "cache-of-user")
    (tmp_path / "cache-of-user").rename(tmp_path / "moved")
    (tmp_path / "cache-of-user").write_text("another one")
    with pytest.raises(tabular.error, match="cannot be written .* or set XDG_CACHE_HOME"):
        tabular.dataset(tmp_path)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (Path.unlink, "holds nothing for 'train': expected one file, train.parquet or train.csv"),
        (
            lambda path: path.with_suffix(".csv").touch(),
            "holds .*train.parquet and .*train.csv for 'train': expected one",
        ),
        (lose_the_end, "it is damaged, or still being written. Wait until"),
        (lambda path: path.write_bytes(b""), "it is damaged, or still being written"),
        (
            lambda path: change(path, pixel_9=None),
            "has no column 'pixel_9': expected one. Its columns are: pixel_0, .*, ...",
        ),
        (
            lambda path: change(path, pixel_9=["dark"] * 1260),
            "Column 'pixel_9' of .* holds string: expected numbers",
        ),
        (
            lambda path: change(path, label=np.ones(1260)),
            "Column 'label' of .* holds double: expected whole numbers",
        ),
        (
            lambda path: change(path, pixel_9=[1] * 700 + [None] + [1] * 559),
            "Column 'pixel_9' of .* has no value in row 700",
        ),
        (
            lambda path: change(path, pixel_9=pyarrow.nulls(1260)),
            "Column 'pixel_9' of .* has no value in row 0",
        ),
        (
            lambda path: change(path, pixel_9=[1.0] * 700 + [float("nan")] + [1.0] * 559),
            "Column 'pixel_9' of .* has no value in row 700",
        ),
        (
            lambda path: change(path, pixel_9=[1.0] * 700 + [float("-inf")] + [1.0] * 559),
            "Column 'pixel_9' of .* has the value -inf in row 700",
        ),
        (lambda path: parquet.write_table(table_of(path).slice(0, 0), path), "has no rows"),
        (
            lambda path: lose_the_end(as_csv(path)),
            r"cannot be read \(.*Expected 65 columns.*still being written",
        ),
        (
            lambda path: as_csv(path).write_text("pixel_0,label\n0,1\n"),
            "has no column 'pixel_1': expected one. Its columns are: pixel_0, label. Rename them, put",
        ),
        (
            lambda path: as_csv(path).write_text("höhe,label\n0,1\n", encoding="latin-1"),
            r"train.csv cannot be read \('utf-8' codec .*, or no CSV file in UTF-8 with commas",
        ),
        (
            lambda path: as_csv(path).write_text("pixel_0,pixel_0,label\n0,1,1\n"),
            "multiple columns named pixel_0",
        ),
        (lambda path: keep_lines(as_csv(path), 1), "has no rows: expected one for each sample"),
    ],
)
def test_what_is_wrong_with_a_table_is_named(
    spoil: Callable[[Path], Any], words: str, tabular: Form, tmp_path: Path
) -> None:
    spoil(digits_file(tabular, tmp_path))
    with pytest.raises(tabular.error, match=words):
        tabular.dataset(tmp_path)
    assert not list(tmp_path.glob("digits/.cache/*"))


def test_a_label_that_the_model_does_not_have_is_named(tabular: Form, tmp_path: Path) -> None:
    for label in (-1, 10):
        change(digits_file(tabular, tmp_path), label=[0] * 1259 + [label])
        with pytest.raises(tabular.error, match=f"label {label} in row 1259, .* from 0 to 9"):
            tabular.dataset(tmp_path)


def test_a_table_that_grows_while_it_is_read_is_named(
    tabular: Form, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = as_csv(digits_file(tabular, tmp_path))
    table = tabular.module("runtime.table")
    numbers = table.numbers

    def numbers_while_written(*given: Any) -> Any:
        with path.open("a") as file:
            file.write("0," * 64 + "0\n")
        return numbers(*given)

    monkeypatch.setattr(table, "numbers", numbers_while_written)
    with pytest.raises(tabular.error, match="was changed while it was read: wait until"):
        tabular.dataset(tmp_path)


def test_rows_that_were_cut_short_are_named(tabular: Form, tmp_path: Path) -> None:
    path = digits_file(tabular, tmp_path)
    tabular.dataset(tmp_path)
    (made,) = path.parent.glob(".cache/*")
    lose_the_end(made)
    with pytest.raises(tabular.error, match="delete it and begin anew"):
        tabular.dataset(tmp_path)
