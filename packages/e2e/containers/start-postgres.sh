#!/bin/sh
# What compose.yaml needs of the entry point of the image postgres: an empty volume becomes a cluster with the database.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  secret=$(mktemp)
  printf '%s\n' "$POSTGRES_PASSWORD" >"$secret"
  # shellcheck disable=SC2086 # several arguments
  initdb --username="$POSTGRES_USER" --pwfile="$secret" --auth-host=scram-sha-256 --auth-local=trust $POSTGRES_INITDB_ARGS
  rm "$secret"
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl --wait --options="-c listen_addresses=''" start
  createdb --username="$POSTGRES_USER" --maintenance-db=postgres "$POSTGRES_DB"
  pg_ctl --wait --mode=fast stop
fi
exec "$@" -c 'listen_addresses=*'
