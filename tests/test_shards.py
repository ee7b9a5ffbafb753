"""Shards, on a disk and on a server, and errors that say what to do."""

from __future__ import annotations

import io
import pickle
import tarfile
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import fsspec
import pytest

from forms import Form

pytestmark = pytest.mark.usefixtures("no_cache_of_this_person")


@pytest.fixture
def stream(forms: dict[str, Form]) -> Form:
    return forms["stream"]


def group(form: Form, names: str) -> list[tuple[str, list[str]]]:
    shards = form.module("runtime.tar")
    files = [shards.Member(name, 0, 0) for name in names.split()]
    return [(key, list(parts)) for key, parts in shards.group(files)]


def test_files_are_put_together_by_their_keys(stream: Form) -> None:
    assert group(stream, "") == []
    assert group(stream, "1.png 1.cls 2.cls 2.png") == [
        ("1", ["png", "cls"]),
        ("2", ["cls", "png"]),
    ]
    assert group(stream, "a/1.png a/1.seg.png b/1.png v1.0/2.png README") == [
        ("a/1", ["png", "seg.png"]),
        ("b/1", ["png"]),
        ("v1.0/2", ["png"]),
        ("README", [""]),
    ]
    with pytest.raises(ValueError, match=r"'1\.png' twice"):
        group(stream, "1.png 1.cls 1.png")


def shard(folder: Path, parts: Sequence[tuple[str, bytes]], *, mode: str = "w") -> Path:
    """Write a shard of given files."""
    (folder / "digits").mkdir(exist_ok=True)
    path = folder / "digits" / "train-000.tar"
    write_mode: Any = mode
    with tarfile.open(path, write_mode) as tar:
        for name, content in parts:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


def good_parts(form: Form, count: int = 3) -> list[tuple[str, bytes]]:
    """Some samples of the training set."""
    with tarfile.open(form.project.folder / "data" / "digits" / "train-000.tar") as tar:
        files = [(member.name, tar.extractfile(member)) for member in tar.getmembers()[: 2 * count]]
        return [(name, file.read()) for name, file in files if file]


def cut(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])


def spoil_header(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[1024 + 10] ^= 255  # of the second file: tarfile itself would stop there without a word
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (Path.unlink, "holds no shards of 'train': expected train-000.tar and so on"),
        (lambda path: cut(path, 5_000), "is damaged, still being written, compressed as a whole"),
        # Between two files, as of a program that is still writing.
        (lambda path: cut(path, 4_096), "at byte 4096 there is neither a file nor the end of"),
        (spoil_header, "at byte 1024 there is neither a file nor the end of a tar file"),
        (lambda path: path.write_bytes(b""), "is damaged, still being written, compressed"),
        (lambda path: path.write_text("no tar file" * 100), "or no tar file"),
    ],
)
def test_a_damaged_shard_is_named(
    spoil: Callable[[Path], Any], words: str, stream: Form, tmp_path: Path
) -> None:
    spoil(shard(tmp_path, good_parts(stream)))
    with pytest.raises(stream.error, match=words):
        stream.dataset(tmp_path)


@pytest.mark.parametrize(
    ("change_parts", "words"),
    [
        (lambda parts: parts[:3], "its sample '000001' has the parts png: expected png, cls"),
        (lambda parts: [parts[1]], "its sample '000000' has the parts cls: expected png, cls"),
        (
            lambda parts: [(f"img.{number}.png", b"") for number in range(500)],
            "'img' has the parts 0.png, 1.png, 2.png, 3.png, 4.png, 5.png, ...: expected png, cls. "
            "A part is what follows the first dot of a file's name",
        ),
        (lambda parts: [*parts, parts[5]], "it holds '000002.cls' twice"),
        (lambda parts: [parts[0], (parts[1][0], b"seven")], "is b'seven': expected a number"),
        (lambda parts: [], "it holds no samples"),
    ],
)
def test_a_shard_with_wrong_samples_is_named(
    change_parts: Callable[[Any], Any], words: str, stream: Form, tmp_path: Path
) -> None:
    shard(tmp_path, change_parts(good_parts(stream)))
    with pytest.raises(stream.error, match=f"train-000.tar cannot be used: .*{words}"):
        stream.dataset(tmp_path)


def test_a_shard_that_is_compressed_as_a_whole_is_named(stream: Form, tmp_path: Path) -> None:
    shard(tmp_path, good_parts(stream), mode="w:gz")
    with pytest.raises(stream.error, match="compressed as a whole"):
        stream.dataset(tmp_path)


def test_a_bad_image_or_label_is_named_with_its_place(stream: Form, tmp_path: Path) -> None:
    parts = good_parts(stream)
    parts[2], parts[5] = (parts[2][0], b"no image"), (parts[5][0], b"10\n")
    path = shard(tmp_path, parts)
    dataset = stream.dataset(tmp_path)
    assert dataset[0][0].shape == (1, 8, 8)
    with pytest.raises(stream.error, match=f"sample 1, at byte 2560 of {path}, is damaged"):
        dataset[1]
    with pytest.raises(stream.error, match="label of sample 2, .* is 10: expected numbers below"):
        dataset[2]
    cut(path, 1_000)
    with pytest.raises(stream.error, match="came 0: it was cut short since the run began"):
        pickle.loads(pickle.dumps(dataset)).read(2)


class Server(ThreadingHTTPServer):
    """Serves a folder, and remembers what it was asked for."""

    def __init__(self, folder: Path, *, ranges: bool = True) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder, self.ranges = folder, ranges
        self.asked: list[tuple[str, str]] = []
        self.failures = 0
        """How many requests for content it will refuse from now on."""


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_HEAD(self) -> None:
        self.answer()

    def do_GET(self) -> None:
        self.wfile.write(self.answer())

    def answer(self) -> bytes:
        """Send the headers; returns what follows them."""
        path = self.server.folder / self.path.strip("/")
        asked = self.headers.get("Range", "")
        self.server.asked.append((self.command, asked))
        if not path.is_file():
            self.send_error(404)
            return b""
        if self.command == "GET" and self.server.failures:
            self.server.failures -= 1
            self.send_error(503)
            return b""
        content = path.read_bytes()
        self.send_response(206 if asked and self.server.ranges else 200)
        if self.server.ranges:
            self.send_header("Accept-Ranges", "bytes")
            if asked:
                start, end = asked.removeprefix("bytes=").split("-")
                whole = len(content)
                content = content[int(start) : int(end or whole) + 1]
                self.send_header("Content-Range", f"bytes {start}-{end or whole}/{whole}")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        return content

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture
def serve(stream: Form, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Server]]:
    """Starts servers of the project's own shards."""
    monkeypatch.setattr(stream.module("runtime.shards"), "PAUSE_S", 0)
    servers: list[Server] = []

    def start(**options: Any) -> Server:
        servers.append(Server(stream.project.folder / "data" / "digits", **options))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        return servers[-1]

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def addresses(server: Server) -> list[str]:
    return [f"http://127.0.0.1:{server.server_port}/train-{number:03}.tar" for number in range(4)]


def test_shards_on_a_server_give_the_same_as_local_ones(
    stream: Form, serve: Callable[..., Server]
) -> None:
    server = serve()
    local = stream.dataset(stream.project.folder / "data")
    remote = stream.module("data").ShardedImages(addresses(server))
    assert len(remote) == len(local) == 400
    for index in range(0, 400, 40):
        assert remote[index][0].equal(local[index][0]) and remote[index][1] == local[index][1]

    # The index is kept, in the user's folder; a sample is one request for its bytes alone.
    server.asked.clear()
    again = stream.module("data").ShardedImages(addresses(server))
    assert not [asked for asked in server.asked if asked[0] == "GET"]
    server.asked.clear()
    content, _, _ = again.read(399)
    ((method, asked),) = server.asked
    start, end = map(int, asked.removeprefix("bytes=").split("-"))
    assert (method, end - start + 1) == ("GET", len(content))


def test_a_server_is_asked_again_but_not_for_ever(
    stream: Form, serve: Callable[..., Server]
) -> None:
    server = serve()
    dataset = stream.module("data").ShardedImages(addresses(server))
    server.failures = 3
    assert dataset[5][0].shape == (1, 8, 8)
    server.failures = 4
    with pytest.raises(stream.error, match=r"train-000\.tar cannot be used: .*503"):
        dataset.read(5)


def test_a_server_that_cannot_be_used_is_named(
    stream: Form, serve: Callable[..., Server], tmp_path: Path
) -> None:
    images = stream.module("data").ShardedImages
    with pytest.raises(stream.error, match="nothing.tar is not there, or cannot be reached"):
        images([addresses(serve())[0].replace("train-000", "nothing")])
    with pytest.raises(stream.error, match="is not there, or cannot be reached"):
        images(["http://127.0.0.1:9/train-000.tar"])
    with pytest.raises(stream.error, match="needs another package: Install s3fs"):
        images(["s3://bucket/train-000.tar"])
    with pytest.raises(stream.error, match="Protocol not known: nope"):
        images(["nope://train-000.tar"])
    with pytest.raises(stream.error, match=r"train-000\.tar cannot be"):
        images(addresses(serve(ranges=False)))[3]


def test_an_index_is_made_again_when_its_shard_has_changed(stream: Form) -> None:
    files = fsspec.filesystem("memory")
    source = stream.project.folder / "data" / "digits"
    for number in (0, 1):
        files.pipe_file("/train.tar", (source / f"train-00{number}.tar").read_bytes())
        dataset = stream.module("data").ShardedImages(["memory://train.tar"])
        expected = stream.module("data").ShardedImages(
            [(source / f"train-00{number}.tar").as_posix()]
        )
        assert [dataset[i][1] for i in range(100)] == [expected[i][1] for i in range(100)]
    files.rm("/train.tar")
