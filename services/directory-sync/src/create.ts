import { readKeyRing, type EnvSource, type Service } from '@overtone/service-kit';
import { createDirectorySync } from './directory-sync.ts';
import { env } from './env.ts';
import { directorySnapshot } from './snapshot/snapshot.adapter.ts';

/** The service of these variables, by default those of the process. */
export function create(source?: EnvSource): Service {
  // The key file is read at every use, because a mounted file can be replaced while the service runs.
  const keyRing = () => readKeyRing(source);
  keyRing();
  return createDirectorySync(env(source), directorySnapshot(keyRing));
}
