#!/bin/sh
# One node without the modules of the distribution, but for HTTP.
# shellcheck disable=SC2086 # several arguments
exec java $ES_JAVA_OPTS -XX:+UseSerialGC -Des.path.home=/opt/elasticsearch -Des.nativelibs.path=/opt/elasticsearch/native \
  -cp '/opt/elasticsearch/lib/*:/opt/classes' SearchNode /tmp \
  path.home=/opt/elasticsearch path.data=/usr/share/elasticsearch/data path.logs=/tmp/logs \
  http.port=9200 network.host=0.0.0.0 discovery.type=single-node node.store.allow_mmap=false \
  cluster.routing.allocation.disk.threshold_enabled=false
