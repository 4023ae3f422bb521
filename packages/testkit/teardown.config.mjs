import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';

export default async function teardown() {
  const host = globalThis.overtoneTestHost;
  const ended = once(host, 'exit');
  host.stdin.end();
  await ended;
  rmSync(dirname(process.env.OVERTONE_TEST_HOST), { recursive: true, force: true });
}
