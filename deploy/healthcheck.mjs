// The container's health check: calls the liveness endpoint of the service in this container.
import { get } from 'node:http';

const fail = () => process.exit(1);
get({ port: process.env.INTERNAL_PORT, path: '/health', agent: false, timeout: 2000 }, (response) =>
  process.exit(response.statusCode === 200 ? 0 : 1),
)
  .on('timeout', fail)
  .on('error', fail);
