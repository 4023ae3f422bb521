# Stands in for node:VERSION-RELEASE-slim where no registry of images is reachable: the distribution, Node and npm.
ARG BASE
FROM ${BASE}
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
# The certificates of this machine: the authority of a package mirror may be its own.
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
  && groupadd --gid 1000 node \
  && useradd --uid 1000 --gid node --create-home node
CMD ["node"]
