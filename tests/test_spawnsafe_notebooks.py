"""spawnsafe on notebooks."""

from __future__ import annotations

import pytest

from checking import notebook, run, write

pytestmark = pytest.mark.usefixtures("own_folder")


DATA = (
    "from torch.utils.data import DataLoader, Dataset\n"
    "class Rows(Dataset):\n    def __len__(self):\n        return 1\n"
    "    def __getitem__(self, index):\n        return index\n"
)


def test_a_data_set_in_a_cell_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    guarded = "if __name__ == '__main__':\n    print(list(DataLoader(Rows(), num_workers=1)))"
    write("a.ipynb", notebook("# text\n", DATA, guarded))
    code, out, _ = run(capsys)
    assert code == 1 and out.startswith("a.ipynb:cell 2:2:1: SPS801 class Rows")


def test_functions_in_cells_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    collate = "def collate(rows):\n    return rows\n"
    loader = "loader = DataLoader([1], num_workers=2, collate_fn=collate)\nnext(iter(loader))"
    target = "from multiprocessing import Process\ndef work():\n    pass\n"
    write("a.ipynb", notebook(DATA, collate, loader, target, "Process(target=work).start()"))
    out = run(capsys)[1]
    assert "cell 2:1:1: SPS801 collate()" in out
    assert "cell 4:2:1: SPS802 work()" in out


def test_notebooks_need_no_guard(capsys: pytest.CaptureFixture[str]) -> None:
    loop = "from torch.utils.data import DataLoader\nprint(list(DataLoader([1], num_workers=2)))"
    zero = DATA + "print(list(DataLoader(Rows())))"
    model = "import torch\nmodel = torch.nn.Linear(1, 1).cuda()"
    write("a.ipynb", notebook(loop, zero, model))
    assert run(capsys)[0] == 0


def test_magics_are_understood(capsys: pytest.CaptureFixture[str]) -> None:
    cells = [
        "%matplotlib inline\n!pip install torch \\\n  numpy\nfiles = !ls\nhelp?\n",
        "%%bash\nfor x in *; do echo $x; done",
        "%%time\n" + DATA,
        "%%writefile data.py\nfrom torch.utils.data import DataLoader\n\n"
        "for b in DataLoader([1], num_workers=1):\n    print(b)",
        "%time batches = list(DataLoader(Rows(), num_workers=1))",
        "text = '''\n%not a magic\n'''",
        "await something",
    ]
    write("a.ipynb", notebook(*cells))
    code, out, err = run(capsys)
    assert err == "" and code == 1
    assert "a.ipynb:cell 3:3:1: SPS801" in out
    assert "a.ipynb:cell 4:4:10: SPS101" in out


def test_notebooks_of_other_languages_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.ipynb", notebook("x <- c(1, 2", language_info={"name": "R"}))
    assert run(capsys)[0] == 0
