import { kill } from '../servers/process.ts';
import { waitUntilFree } from '../lock.ts';
import { dataFolder, type DataFolder } from '../paths.ts';
import { clearLeftovers } from '../setup/set-up.ts';
import { endGuardian, waitForEnd } from '../supervisor/leftovers.ts';
import { instanceLock } from '../supervisor/run-instance.ts';
import { readLiveRuntime } from '../supervisor/runtime.ts';
import { createTerminal } from '../terminal.ts';

const stopTimeoutMs = 60_000;

/** Stops all processes of the instance. */
export async function down(options: { readonly data?: string }): Promise<void> {
  const terminal = createTerminal();
  const folder = dataFolder(options.data);
  terminal.busy('stopping');
  const guarded = await endGuardian(folder.root);
  const stopped = (await stopSupervisor(folder)) || guarded;
  const ended = await clearLeftovers(folder);
  // A killed process counts as ended while its last threads still hold the lock.
  await waitUntilFree(instanceLock(folder), stopTimeoutMs);
  if (stopped || ended > 0) terminal.done('Overtone is stopped.');
  else terminal.done('Overtone is not running.');
}

async function stopSupervisor(folder: DataFolder): Promise<boolean> {
  const runtime = readLiveRuntime(folder);
  if (runtime === undefined) return false;
  kill(runtime.supervisor.pid, 'SIGTERM');
  if (!(await waitForEnd([runtime.supervisor], stopTimeoutMs))) kill(runtime.supervisor.pid, 'SIGKILL');
  await waitForEnd([runtime.supervisor], stopTimeoutMs);
  return true;
}
