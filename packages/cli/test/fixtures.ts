import { fileURLToPath } from 'node:url';
import { plainEnvironment, type ProcessSpec } from '../src/servers/process.ts';

const fixtureMain = fileURLToPath(new URL('fixture-service.ts', import.meta.url));

/** A small real process for the tests. */
export function fixtureService(name: string, port: number, traits: readonly string[] = []): ProcessSpec {
  return {
    name,
    command: process.execPath,
    args: [fixtureMain, ...traits],
    env: { ...plainEnvironment(), PORT: String(port) },
    stopSignal: 'SIGTERM',
    probe: async () =>
      await fetch(`http://127.0.0.1:${port}`).then(
        (response) => response.ok,
        () => false,
      ),
  };
}
