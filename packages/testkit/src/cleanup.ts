import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from '@jest/globals';

type Cleanup = () => unknown;
const ofTest: Cleanup[] = [];
const ofFile: Cleanup[] = [];
afterEach(() => runAll(ofTest));
afterAll(() => runAll(ofFile));

/** Runs the cleanup after the current test; the last one first. */
export function cleanUpAfterTest(cleanup: Cleanup): void {
  ofTest.push(cleanup);
}

/** Runs the cleanup after the last test of the file; the last one first. */
export function cleanUpAfterFile(cleanup: Cleanup): void {
  ofFile.push(cleanup);
}

/** Stops what was started after the last test of the file. */
export async function stopAfterFile<T extends { stop: Cleanup }>(starting: Promise<T>): Promise<T> {
  const started = await starting;
  ofFile.push(() => started.stop());
  return started;
}

/** A folder that is removed after the last test of the file. */
export async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'overtone-test-'));
  ofFile.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function runAll(cleanups: Cleanup[]): Promise<void> {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
}
