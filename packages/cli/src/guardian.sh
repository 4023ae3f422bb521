#!/bin/sh
# Runs the supervisor of a detached instance and restarts it after a kill or a crash. A shell script, because it must
# survive a full disk and an out-of-memory machine: it writes nothing and uses little memory.
#   guardian.sh NODE FOLDER [FLAG...]
node=$1
shift
supervise() {
  "$node" --max-semi-space-size=2 --max-old-space-size=128 "$(dirname "$0")/supervisor.main.ts" "$@"
}

supervise "$@"
code=$?
# The channel to the `up` that waits for the first start.
unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE
exec 3>&-
# 0: stopped as requested. 3: the first start failed, and everything was stopped.
until [ "$code" -eq 0 ] || [ "$code" -eq 3 ]; do
  sleep 1
  supervise "$@" --resume "--ended=$code"
  code=$?
done
exit "$code"
