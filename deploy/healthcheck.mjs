// Asks the service beside us whether it is alive; the container's health check.
import { get } from 'node:http';

const fail = () => process.exit(1);
get({ port: process.env.INTERNAL_PORT, path: '/health', agent: false, timeout: 2000 }, (response) =>
  process.exit(response.statusCode === 200 ? 0 : 1),
)
  .on('timeout', fail)
  .on('error', fail);
