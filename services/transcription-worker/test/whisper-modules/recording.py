"""Writes what the modules were asked to the file of the test."""

import json
import os


def write(**call):
    with open(os.environ["FAKE_CALLS"], "a") as file:
        file.write(json.dumps({"pid": os.getpid(), **call}, default=str) + "\n")
