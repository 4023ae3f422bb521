import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// The host of the shared servers lives as long as its input is open, that is as long as this process.
export default function setup() {
  const socket = join(mkdtempSync(join(tmpdir(), 'overtone-run-')), 'host.sock');
  const host = spawn(process.execPath, [join(import.meta.dirname, 'src/host.main.ts'), socket], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  globalThis.overtoneTestHost = host;
  process.env.OVERTONE_TEST_HOST = socket;
  // Programs and threads that tests start would compile their sources each time.
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../.tools/compiled');
}
