"""Serves faster-whisper to the worker: one JSON request per line on standard input, one JSON reply per line on standard
output. The messages are those of src/children/protocol.ts, the tasks those of src/faster-whisper/protocol.ts."""

import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from cuda import load_cuda_libraries
from recogniser import Models, Stopped, is_out_of_memory, load, transcribe

Reply = Callable[[dict[str, Any]], None]


def replies_on(stdout: int) -> Reply:
    """Sends whole lines from any thread. Libraries that print get standard error instead of the reply stream."""
    stream = os.fdopen(os.dup(stdout), "w", encoding="utf-8")
    os.dup2(2, stdout)
    lock = threading.Lock()

    def reply(message: dict[str, Any]) -> None:
        with lock:
            stream.write(json.dumps(message, ensure_ascii=False) + "\n")
            stream.flush()

    return reply


def perform(models: Models, request: dict[str, Any], stop: threading.Event, reply: Reply) -> None:
    number, task = request["id"], request["input"]
    try:
        if task["task"] == "load":
            result = load(models, task)
        else:
            result = transcribe(models, task, stop, lambda share: reply({"id": number, "progress": share}))
        reply({"id": number, "result": result})
    except Stopped as error:
        reply({"id": number, "failure": {"message": str(error)}})
    except Exception as error:  # every failure is the reply of its task; other tasks of this process continue
        failure = {"message": f"{type(error).__name__}: {error}"[:2000]}
        if is_out_of_memory(error):
            failure["code"] = "out_of_memory"
        elif task["task"] == "transcribe" and task["model"]["device"] == "cuda" and isinstance(error, RuntimeError):
            # After most errors of CUDA the process cannot use the GPU any more: its tasks are retried in a new one.
            print(error, file=sys.stderr, flush=True)
            os._exit(1)
        reply({"id": number, "failure": failure})


def main() -> None:
    reply = replies_on(sys.stdout.fileno())
    load_cuda_libraries()
    models = Models()
    stops: dict[int, threading.Event] = {}
    for line in sys.stdin:
        request = json.loads(line)
        if request.get("cancel"):
            stop = stops.get(request["id"])
            if stop:
                stop.set()
            continue
        stop = stops[request["id"]] = threading.Event()

        def run(request: dict[str, Any] = request, stop: threading.Event = stop) -> None:
            try:
                perform(models, request, stop, reply)
            finally:
                del stops[request["id"]]

        threading.Thread(target=run, daemon=True).start()


main()
