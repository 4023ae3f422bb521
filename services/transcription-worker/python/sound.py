"""Reads a recording in windows that end in a pause, with the speech in each. Nothing longer than a window is in memory."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from faster_whisper.vad import VadOptions, get_speech_timestamps

RATE = 16_000
HEADER_BYTES = 44
# Speech is cut this long before its start and after its end as the detector sees it.
PAD_SECONDS = 0.4

# Sample numbers of a window: start, end.
Span = tuple[int, int]


@dataclass(frozen=True)
class Window:
    # Samples before this window.
    offset: int
    samples: np.ndarray
    # Speech as the detector found it, without padding.
    speech: list[Span]
    # Whether the recording ends here.
    last: bool

    @property
    def padded(self) -> list[Span]:
        """The speech with its surroundings; two stretches share the pause between them, and do not overlap."""
        pad = int(PAD_SECONDS * RATE)
        spans: list[Span] = []
        for i, (start, end) in enumerate(self.speech):
            before = spans[-1][1] if spans else 0
            after = self.speech[i + 1][0] if i + 1 < len(self.speech) else len(self.samples)
            until = min(end + pad, after if i + 1 == len(self.speech) else (end + after) // 2 if after - end < 2 * pad else after)
            spans.append((max(before, start - pad), until))
        return spans


def read_windows(path: str, seconds: float, longest: float, options: VadOptions) -> Iterator[Window]:
    """16 kHz mono 16-bit WAV as the worker writes it. @param longest: seconds of a window."""
    total = min(round(seconds * RATE), (os.path.getsize(path) - HEADER_BYTES) // 2)
    length = round(longest * RATE)
    with open(path, "rb") as file:
        at = 0
        while at < total:
            file.seek(HEADER_BYTES + at * 2)
            samples = np.frombuffer(file.read(min(length, total - at) * 2), dtype="<i2").astype("float32") / 32768.0
            if len(samples) == 0:
                return
            spans = [(span["start"], span["end"]) for span in get_speech_timestamps(samples, options)]
            last = at + len(samples) >= total
            end = len(samples) if last else last_pause(spans, len(samples))
            yield Window(at, samples[:end], [span for span in spans if span[0] < end], last)
            at += end


def last_pause(speech: list[Span], length: int) -> int:
    """Where a window of this length ends: in the middle of the last pause of its second half, so that no word is cut."""
    borders = [0, *(sample for span in speech for sample in span), length]
    pauses = list(zip(borders[::2], borders[1::2]))
    for start, end in reversed(pauses[:-1] if speech else pauses):
        middle = (start + end) // 2
        if middle >= length // 2:
            return middle
    # Speech until the end, without a pause: the rest of the window after its last speech is one, too.
    start, end = pauses[-1]
    return (start + end) // 2 if end - start > RATE // 2 else length
