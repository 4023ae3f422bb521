"""Models of faster-whisper, and the transcription of one recording."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import ctranslate2
import numpy as np
from faster_whisper import BatchedInferencePipeline, WhisperModel
from faster_whisper.vad import VadOptions

from sound import RATE, Span, Window, read_windows

WINDOW_SECONDS = 300
# Whisper decodes at most 30 s at once.
LONGEST_PIECE_SECONDS = 28
# Half of Whisper's context is for its output; the rest is shared by the vocabulary and the text before.
VOCABULARY_TOKENS = 100
LANGUAGE_SEGMENTS = 3


class Stopped(Exception):
    """The result is no longer needed."""


# A kernel that finds no room to be loaded is reported as an invalid device.
NO_MEMORY = ("out of memory", "CUBLAS_STATUS_ALLOC_FAILED", "cudaErrorInvalidDevice")


def is_out_of_memory(error: Exception) -> bool:
    """The libraries report it by text only."""
    return any(text in str(error) for text in NO_MEMORY)


class Models:
    """Loaded models by their options. Tasks with the same options share one; unused others are released."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: dict[str, WhisperModel] = {}
        self._users: dict[str, int] = {}

    @contextmanager
    def use(self, options: dict[str, Any]) -> Iterator[WhisperModel]:
        key = repr(sorted(options.items()))
        # A second task waits here while the first one loads the model.
        with self._lock:
            for other in [known for known in self._loaded if known != key and not self._users.get(known)]:
                del self._loaded[other]
            model = self._loaded.get(key) or open_model(options)
            self._loaded[key] = model
            self._users[key] = self._users.get(key, 0) + 1
        try:
            yield model
        finally:
            with self._lock:
                self._users[key] -= 1


def open_model(options: dict[str, Any]) -> WhisperModel:
    device = options["device"]
    return WhisperModel(
        options["folder"],
        device=device,
        compute_type=supported_type(options["compute_type"], ctranslate2.get_supported_compute_types(device)),
        cpu_threads=options["threads"],
        num_workers=options["workers"],
        local_files_only=True,
    )


def supported_type(wanted: str, supported: set[str]) -> str:
    """The wanted number format, or the nearest one that the processor has: few CPUs calculate with 16-bit floats."""
    if wanted in supported:
        return wanted
    eight_bit = wanted.startswith("int8")
    return "int8" if eight_bit and "int8" in supported else "float32"


def languages_of(model: WhisperModel) -> list[str]:
    """The library's list has languages that only later models know."""
    if not model.model.is_multilingual:
        return ["en"]
    return [code for code in model.supported_languages if model.hf_tokenizer.token_to_id(f"<|{code}|>") is not None]


def load(models: Models, task: dict[str, Any]) -> dict[str, Any]:
    with models.use(task["model"]) as model:
        # Decodes a second of silence: a model with wrong files fails here and not at the first recording.
        options = {"language": "en", "temperature": 0.0, "beam_size": 1, "max_new_tokens": 4}
        for _ in model.transcribe(np.zeros(RATE, dtype="float32"), **options)[0]:
            pass
        return {"languages": languages_of(model), "compute_type": model.model.compute_type}


def transcribe(
    models: Models, task: dict[str, Any], stop: threading.Event, progress: Callable[[float], None]
) -> dict[str, Any]:
    seconds, batch = task["seconds"], task["batch"]
    vad = VadOptions(
        threshold=task["vad"]["threshold"],
        min_speech_duration_ms=round(task["vad"]["min_speech"] * 1000),
        min_silence_duration_ms=round(task["vad"]["min_silence"] * 1000),
        max_speech_duration_s=float("inf") if batch == 1 else LONGEST_PIECE_SECONDS,
        speech_pad_ms=0,
    )
    language = task["language"]
    seen = Progress(seconds, stop, progress)
    segments: list[dict[str, Any]] = []
    speech: list[list[float]] = []
    longest = max(WINDOW_SECONDS, batch * LONGEST_PIECE_SECONDS)
    with models.use(task["model"]) as model:
        for window in read_windows(task["wav"], seconds, longest, vad):
            seen.until(window.offset / RATE)
            speech.extend(times(span, window) for span in window.speech)
            if window.speech:
                language = language or detect_language(model, window)
                found, batch = decode_fitting(model, window, task, language, batch, seen)
                segments.extend(found)
            seen.until((window.offset + len(window.samples)) / RATE)
    return {"language": language, "segments": segments, "speech": speech}


class Progress:
    """Reports how far the recording is done; ends it when it is no longer wanted."""

    def __init__(self, seconds: float, stop: threading.Event, report: Callable[[float], None]) -> None:
        self._seconds, self._stop, self._report = seconds, stop, report

    def until(self, second: float) -> None:
        if self._stop.is_set():
            raise Stopped("no longer wanted")
        self._report(min(1.0, second / self._seconds))


def decode_fitting(
    model: WhisperModel, window: Window, task: dict[str, Any], language: str, batch: int, seen: Progress
) -> tuple[list[dict[str, Any]], int]:
    """Decodes a window again with half the batch while the memory of the GPU does not suffice.
    @returns its segments, and the batch that fitted"""
    while True:
        segments: list[dict[str, Any]] = []
        try:
            for segment in decode(model, window, task, language, batch):
                segments.append(segment)
                seen.until(segment["words"][-1]["end"])
            return segments, batch
        except RuntimeError as error:
            if batch == 1 or not is_out_of_memory(error):
                raise
            batch //= 2


def times(span: Span, window: Window) -> list[float]:
    return [round((window.offset + sample) / RATE, 3) for sample in span]


def speech_of(window: Window) -> np.ndarray:
    return np.concatenate([window.samples[start:end] for start, end in window.padded])


def detect_language(model: WhisperModel, window: Window) -> str:
    """From the first speech, not from the first sound, which may be music."""
    if not model.model.is_multilingual:
        return "en"
    known = set(languages_of(model))
    language, _, found = model.detect_language(speech_of(window), language_detection_segments=LANGUAGE_SEGMENTS)
    return language if language in known else next(code for code, _ in found if code in known)


def decode(
    model: WhisperModel, window: Window, task: dict[str, Any], language: str, batch: int
) -> Iterator[dict[str, Any]]:
    single = window.offset == 0 and window.last
    vocabulary = shorten(model, task["vocabulary"])
    options: dict[str, Any] = {
        "language": language,
        "task": task["speech_task"],
        "beam_size": 5,
        "word_timestamps": True,
        "vad_filter": False,
        "initial_prompt": vocabulary if window.offset == 0 else None,
        "hotwords": vocabulary,
    }
    if batch > 1:
        pieces = pack(window.padded)
        clips = [{"start": start / RATE, "end": end / RATE} for start, end in pieces]
        batched = BatchedInferencePipeline(model)
        segments, _ = batched.transcribe(window.samples, clip_timestamps=clips, batch_size=batch, **options)
        timeline = Timeline([(0, len(window.samples))], window)
    else:
        # Text of a long recording that leads the next part can be repeated for minutes.
        segments, _ = model.transcribe(speech_of(window), condition_on_previous_text=single, **options)
        timeline = Timeline(window.padded, window)
    for segment in segments:
        words = [
            {"word": word.word, "confidence": round(float(word.probability), 3), **timeline.place(word.start, word.end)}
            for word in segment.words or []
        ]
        if words:
            yield {
                "words": words,
                "no_speech": round(float(segment.no_speech_prob), 4),
                "log_probability": round(float(segment.avg_logprob), 4),
            }


class Timeline:
    """Converts times of joined stretches of sound to those of the recording."""

    def __init__(self, spans: list[Span], window: Window) -> None:
        self._offset = window.offset
        self._spans: list[tuple[int, Span]] = []
        before = 0
        for span in spans:
            self._spans.append((before, span))
            before += span[1] - span[0]

    def place(self, start: float, end: float) -> dict[str, float]:
        """A word lies in the stretch with its middle, also where its border is beyond that of the stretch."""
        middle = (start + end) / 2 * RATE
        before, (first, last) = next(
            (entry for entry in reversed(self._spans) if entry[0] <= middle), self._spans[0]
        )
        placed = [min(max(first + time * RATE - before, first), last) for time in (start, end)]
        return {name: round((self._offset + sample) / RATE, 3) for name, sample in zip(("start", "end"), placed)}


def pack(spans: list[Span]) -> list[Span]:
    """Pieces of a batch: adjacent stretches of speech, with the pauses between them."""
    pieces: list[Span] = []
    for start, end in spans:
        if pieces and end - pieces[-1][0] <= LONGEST_PIECE_SECONDS * RATE:
            pieces[-1] = (pieces[-1][0], end)
        else:
            pieces.append((start, end))
    return pieces


def shorten(model: WhisperModel, vocabulary: list[str]) -> str | None:
    """The first terms that fit into the prompt."""
    taken: list[str] = []
    for term in vocabulary:
        text = ", ".join([*taken, term])
        if len(model.hf_tokenizer.encode(text, add_special_tokens=False).ids) > VOCABULARY_TOKENS:
            break
        taken.append(term)
    return ", ".join(taken) or None
