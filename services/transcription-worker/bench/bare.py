"""faster-whisper without the product: one model, its recordings one after the other, with the settings of the product."""

import json
import resource
import sys

from faster_whisper import WhisperModel

folder, threads, *recordings = sys.argv[1:]
model = WhisperModel(folder, device="cpu", compute_type="int8", cpu_threads=int(threads))
for path in recordings:
    segments, info = model.transcribe(path, beam_size=5, word_timestamps=True, vad_filter=True)
    text = "".join(segment.text for segment in segments)
    print(json.dumps({"text": text, "seconds": info.duration}))
usage = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"processor": usage.ru_utime + usage.ru_stime, "peak_mib": usage.ru_maxrss / 1024}))
