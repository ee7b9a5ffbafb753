"""Measures the template beside its alternatives, and writes docs/benchmarks.md.

`nox -s bench` measures all; `nox -s bench -- memory` one part; `nox -s bench -- --quick` tries each
with next to nothing, in a folder of its own, to see whether it works. Each part is a module with

    measure(bench) -> a result of plain values, which goes to docs/benchmarks/PART.json
    present(result) -> the tables, bars and plots of its section

so that the page can be made again from what was measured.
"""
