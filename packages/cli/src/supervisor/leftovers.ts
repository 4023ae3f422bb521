import { setTimeout as sleep } from 'node:timers/promises';
import { kill } from '../servers/process.ts';
import { isAlive, sessionOf, type ProcessIdentity } from './identity.ts';
import { guardianName, instanceProcesses } from './instance-processes.ts';
import type { RecordedProcess } from './runtime.ts';

const defaultGraceMs = 10_000;
const supervisorGraceMs = 60_000;

/** Ends the processes of an exited supervisor: services first, then the servers they use. */
export async function endLeftovers(processes: readonly RecordedProcess[], graceMs = defaultGraceMs): Promise<number> {
  let ended = 0;
  for (const kind of ['service', 'server'] as const) {
    const group = processes.filter((entry) => entry.kind === kind);
    ended += await endAll(group, graceMs);
  }
  return ended;
}

/** Ends the shell that restarts the supervisor, then the supervisor. @returns whether there was one. */
export async function endGuardian(root: string, graceMs = supervisorGraceMs): Promise<boolean> {
  const guardians = instanceProcesses(root).filter(({ name }) => name === guardianName);
  for (const guardian of guardians) {
    kill(guardian.pid, 'SIGKILL');
    await waitForEnd([guardian], graceMs);
    const supervisors = sessionOf(guardian);
    for (const { pid } of supervisors) kill(pid, 'SIGTERM');
    if (!(await waitForEnd(supervisors, graceMs))) for (const { pid } of supervisors) kill(pid, 'SIGKILL');
  }
  return guardians.length > 0;
}

/** Kills the remaining child processes of an exited process. */
export function endSession(leader: ProcessIdentity): void {
  for (const member of sessionOf(leader)) if (member.pid !== leader.pid) kill(member.pid, 'SIGKILL');
}

async function endAll(group: readonly RecordedProcess[], graceMs: number): Promise<number> {
  const alive = group.filter(isAlive);
  // PostgreSQL ends all sessions on SIGINT, and waits for them on SIGTERM.
  for (const entry of alive) kill(entry.pid, entry.name === 'postgres' ? 'SIGINT' : 'SIGTERM');
  await waitForEnd(alive, graceMs);
  for (const entry of alive.filter(isAlive)) kill(entry.pid, 'SIGKILL');
  for (const entry of group) endSession(entry);
  await waitForEnd(alive, graceMs);
  return alive.length;
}

/** Waits until none of the processes is alive, or until the timeout. */
export async function waitForEnd(processes: readonly ProcessIdentity[], timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (processes.some(isAlive)) {
    if (Date.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}
