"""A WhisperModel that finds two words in every second of sound, and records what it was asked."""

import os
import time
from types import SimpleNamespace

import recording


class Tokens:
    def token_to_id(self, token):
        return None if token == "<|yue|>" else 1

    def encode(self, text, add_special_tokens):
        return SimpleNamespace(ids=text.split())


class WhisperModel:
    supported_languages = ["en", "es", "no", "tl", "yue"]
    hf_tokenizer = Tokens()

    def __init__(self, folder, **options):
        recording.write(call="load", folder=folder, **options)
        self.is_on_gpu = options["device"] == "cuda"
        self.memory = memory() if self.is_on_gpu else None
        if self.memory == 0:
            raise RuntimeError("CUDA failed with error out of memory")
        self.model = SimpleNamespace(is_multilingual=".en" not in folder, compute_type=options["compute_type"])

    def detect_language(self, audio, **options):
        recording.write(call="detect", seconds=len(audio) / 16000, **options)
        return "yue", 0.4, [("yue", 0.4), ("es", 0.3)]

    def transcribe(self, audio, **options):
        recording.write(call="transcribe", seconds=len(audio) / 16000, **options)
        if os.environ.get("FAKE_CUDA") == "no kernel" and options.get("beam_size") != 1 and self.is_on_gpu:
            raise RuntimeError("parallel_for failed: cudaErrorInvalidDevice: invalid device ordinal")
        if os.environ.get("FAKE_CUDA") == "lost" and options.get("beam_size") != 1:
            raise RuntimeError("CUDA failed with error unspecified launch failure")
        return segments_of(0, len(audio) / 16000), None


class BatchedInferencePipeline:
    def __init__(self, model):
        self.memory = model.memory

    def transcribe(self, audio, clip_timestamps, **options):
        recording.write(call="batch", seconds=len(audio) / 16000, clips=clip_timestamps, **options)
        if os.environ.get("FAKE_CUDA") == "no kernel":
            raise RuntimeError("parallel_for failed: cudaErrorInvalidDevice: invalid device ordinal")
        return self.decode(clip_timestamps, options["batch_size"]), None

    def decode(self, clips, size):
        for i, clip in enumerate(clips):
            # Text of the first pieces is there before the memory ends.
            if self.memory is not None and size > self.memory and i == len(clips) - 1:
                raise RuntimeError("CUDA failed with error out of memory")
            yield from segments_of(clip["start"], clip["end"])


def memory():
    """The pieces for which the GPU has memory; 0: not even for the model. None: more than enough."""
    value = os.environ.get("FAKE_MEMORY")
    return None if value is None else int(value)


def segments_of(start, end):
    gate = os.environ.get("FAKE_GATE")
    at = start
    while at + 1 <= end:
        # The test holds the second segment back until it has made this file.
        while gate and at > start and not os.path.exists(gate):
            time.sleep(0.02)
        words = [
            SimpleNamespace(word=f" word{round(at * 2) + number}", start=at + number * 0.5, end=at + number * 0.5 + 0.4, probability=0.9)
            for number in range(2)
        ]
        yield SimpleNamespace(words=words, no_speech_prob=0.01, avg_logprob=-0.2)
        at += 1
