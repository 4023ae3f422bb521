# The servers of compose.yaml where no registry of images is reachable: those of the distribution, one stage for each image.
ARG NODE
FROM ${NODE} AS servers
RUN groupadd --gid 999 postgres && useradd --uid 999 --gid postgres --home-dir /var/lib/postgresql postgres \
  && mkdir -p /etc/postgresql-common && echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf \
  && apt-get update \
  && apt-get install -y --no-install-recommends \
    curl libzstd1 nats-server openjdk-21-jdk-headless postgresql-17 prometheus redis-server wget \
  && rm -rf /var/lib/apt/lists/*

FROM servers AS redis

FROM servers AS nats
ENTRYPOINT ["nats-server"]

FROM servers AS postgres
RUN install -d -o postgres -g postgres -m 700 /var/lib/postgresql/data
ENV PATH=/usr/lib/postgresql/17/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  PGDATA=/var/lib/postgresql/data
COPY start-postgres.sh /usr/local/bin/
ENTRYPOINT ["sh", "/usr/local/bin/start-postgres.sh"]

FROM servers AS objects
RUN npm install --prefix /opt/s3rver --no-audit --no-fund s3rver@3.7.1
COPY object-server.cjs /opt/s3rver/
RUN printf '#!/bin/sh\nexec node /opt/s3rver/object-server.cjs\n' >/usr/local/bin/versitygw \
  && chmod 755 /usr/local/bin/versitygw

FROM servers AS prometheus
RUN install -d -o nobody -g nogroup /prometheus
USER nobody
ENTRYPOINT ["prometheus"]

FROM servers AS elasticsearch
COPY --chown=1000:0 search /opt/elasticsearch
COPY SearchNode.java start-search.sh /opt/
RUN mkdir /opt/classes && javac -cp '/opt/elasticsearch/lib/*' -d /opt/classes /opt/SearchNode.java \
  && install -d -o 1000 -g 0 /usr/share/elasticsearch/data
USER 1000:0
ENTRYPOINT ["sh", "/opt/start-search.sh"]
