import { readKeyRing, runService } from '@overtone/service-kit';
import { createDirectorySync } from './directory-sync.ts';
import { env } from './env.ts';
import { directorySnapshot } from './snapshot/snapshot.adapter.ts';

// Read anew at every use: a mounted file of keys may be exchanged while we run.
const keyRing = () => readKeyRing();
keyRing();
await runService(createDirectorySync(env(), directorySnapshot(keyRing)));
