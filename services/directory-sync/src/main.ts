import { readKeyRing, runService } from '@overtone/service-kit';
import { createDirectorySync } from './directory-sync.ts';
import { env } from './env.ts';
import { directorySnapshot } from './snapshot/snapshot.adapter.ts';

// The key file is read at every use, because a mounted file can be replaced while the service runs.
function keyRing() {
  return readKeyRing();
}
keyRing();
await runService(createDirectorySync(env(), directorySnapshot(keyRing)));
