import pytest

from program.guard.spoken import spoken


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("它保修多久", "zh"),
        ("iPhone 15 Pro Max AppleCare+ 保修吗", "zh"),
        ("Hearthstone 怎么连 Wi-Fi", "zh"),
        ("how long is it", "en"),
        ("battery life?", "en"),
        ("Does 暖汐台灯 have a lid?", "en"),
        ("K3?", None),
        ("Python SDK", None),
        ("", None),
        ("2024!", None),
    ],
)
def test_spoken(text: str, language: str | None) -> None:
    assert spoken(text) == language
