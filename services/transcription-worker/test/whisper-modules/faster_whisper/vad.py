from dataclasses import dataclass

import recording


@dataclass
class VadOptions:
    threshold: float = 0.5
    neg_threshold: float | None = None
    min_speech_duration_ms: int = 0
    max_speech_duration_s: float = float("inf")
    min_silence_duration_ms: int = 2000
    speech_pad_ms: int = 400


def get_speech_timestamps(samples, options):
    """Stretches that are not silent, by tenths of a second."""
    # JSON has no infinity.
    recording.write(call="vad", **{**vars(options), "max_speech_duration_s": str(options.max_speech_duration_s)})
    spans = []
    for at in range(0, len(samples), 1600):
        if max(samples[at : at + 1600]) < 300:
            continue
        end = min(at + 1600, len(samples))
        if spans and at - spans[-1]["end"] <= options.min_silence_duration_ms * 16:
            spans[-1]["end"] = end
        else:
            spans.append({"start": at, "end": end})
    return spans
