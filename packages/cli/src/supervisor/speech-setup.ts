import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fetchPauseMs } from '@overtone/models';
import { compileCache, productFolder, type DataFolder } from '../paths.ts';
import { processMark } from './instance-processes.ts';

const name = 'speech-setup';
const killAfterMs = 5_000;

/**
 * Fetches the speech model in a process of its own, after the instance is ready, and tries again when that fails.
 * @returns a function that ends it.
 */
export function runSpeechSetup(folder: DataFolder, log: (line: string) => void): () => Promise<void> {
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let failures = 0;
  const start = (): void => {
    child = spawnSetup(folder);
    child.on('error', (error) => {
      log(`speech setup not started: ${error.message}`);
      child = undefined;
    });
    child.once('close', (code) => {
      child = undefined;
      if (stopped || code === 0) return;
      log('speech setup failed: see speech-setup.log');
      timer = setTimeout(start, fetchPauseMs(failures)).unref();
      failures += 1;
    });
  };
  start();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    if (!child) return;
    const running = child;
    const closed = new Promise((resolve) => running.once('close', resolve));
    running.kill('SIGTERM');
    const force = setTimeout(() => running.kill('SIGKILL'), killAfterMs);
    await closed;
    clearTimeout(force);
  };
}

function spawnSetup(folder: DataFolder): ChildProcess {
  const main = join(productFolder, 'packages', 'cli', 'src', 'speech-setup.main.ts');
  const output = openSync(join(folder.logs, `${name}.log`), 'a', 0o600);
  const child = spawn(process.execPath, ['--no-warnings', main, folder.root], {
    // The channel shows the child that its supervisor ended.
    stdio: ['ignore', output, output, 'ipc'],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache, ...processMark(folder.root, name) },
  });
  closeSync(output);
  // The caller checks `close`: a process that could not be started has none.
  child.on('error', () => {});
  return child;
}
