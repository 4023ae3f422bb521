// Stands in for versitygw: buckets are folders of /data, the key is that of the environment.
const { createServer } = require('node:http');
const S3rver = require('s3rver');
const { DUMMY_ACCOUNT } = require('s3rver/lib/models/account');

DUMMY_ACCOUNT.createKeyPair(process.env.ROOT_ACCESS_KEY, process.env.ROOT_SECRET_KEY);
const server = new S3rver({
  directory: '/data',
  silent: true,
  vhostBuckets: false,
  allowMismatchedSignatures: true,
  configureBuckets: [{ name: 'overtone' }],
});
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
server.configureBuckets().then(() => {
  const handle = server.callback();
  createServer((request, response) => {
    if (request.url === '/health') response.end('OK');
    else handle(request, response);
  }).listen(7070, '0.0.0.0');
});
