import { topology } from '@overtone/contracts';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { readEnv } from '@overtone/service-kit/env';
import { firstAdministratorEnv } from '../configuration/script-variables.ts';
import { replaceFile } from '../files.ts';
import type { DataFolder } from '../paths.ts';
import { databaseServices, roleOf } from '../supervisor/environment.ts';
import { scaledNames, type GpuScale } from '../supervisor/gpu-scale.ts';
import { instanceProcesses, type InstanceProcess } from '../supervisor/instance-processes.ts';
import { endGuardian, endLeftovers } from '../supervisor/leftovers.ts';
import { portNames, serverNames, serviceNames } from '../supervisor/plan.ts';
import { adminPassword } from '../supervisor/run-instance.ts';
import { readRuntime, removeRuntime, type RecordedProcess } from '../supervisor/runtime.ts';
import { writeBusRights } from './bus-rights.ts';
import { readInstance, writeInstance, type Instance } from './instance.ts';
import { assignPorts } from './ports.ts';
import { checkPort, markVersion } from './preflight.ts';
import { ensureSecrets, inventPassword, type Secrets } from './secrets.ts';

const defaultPort = 8080;
const defaultEmail = 'admin@overtone.localhost';

/** Ends the remaining processes of a killed supervisor. */
export async function clearLeftovers(folder: DataFolder): Promise<number> {
  await endGuardian(folder.root);
  const recorded = readRuntime(folder)?.processes ?? [];
  // Processes without a record: it could not be written, or the supervisor was killed before.
  const unrecorded = instanceProcesses(folder.root).filter(({ pid }) => !recorded.some((entry) => entry.pid === pid));
  const ended = await endLeftovers([...recorded, ...unrecorded.map(asRecorded)]);
  removeRuntime(folder);
  return ended;
}

/** Selects ports, generates secrets and writes the server configuration; the next start reuses them. */
export async function setUp(folder: DataFolder, givenPort: number | undefined, scale?: GpuScale): Promise<Instance> {
  const before = readInstance(folder);
  const port = givenPort ?? before?.port ?? defaultPort;
  await checkPort(port);
  const instance: Instance = {
    adminAnnounced: before?.adminAnnounced ?? false,
    adminEmail: adminEmail(before, givenAdministrator().OT_ADMIN_EMAIL),
    port,
    ports: await assignPorts(portNames([...serviceNames(), ...scaledNames(scale)]), before?.ports ?? {}),
    marked: before?.marked ?? [],
  };
  // Temporary files of killed jobs; no running process needs them.
  rmSync(folder.work, { recursive: true, force: true });
  makeFolders(folder);
  ensureAdminPassword(ensurePasswords(folder), instance);
  writeBusRights(folder, instance);
  writeInstance(folder, instance);
  markVersion(folder);
  return instance;
}

/** Adds the ports, secrets and folders that only this version has to those of a running instance. */
export async function completeSetUp(folder: DataFolder, before: Instance, scale?: GpuScale): Promise<Instance> {
  const missing = portNames([...serviceNames(), ...scaledNames(scale)]).filter((name) => !(name in before.ports));
  const instance = { ...before, ports: { ...before.ports, ...(await assignPorts(missing, {})) } };
  makeFolders(folder);
  ensurePasswords(folder);
  if (missing.length > 0) writeInstance(folder, instance);
  return instance;
}

function ensurePasswords(folder: DataFolder): Secrets {
  return ensureSecrets(folder.secrets, [
    'redis',
    'db_overtone',
    ...databaseServices.map((name) => `db_${roleOf(name)}`),
    ...[...Object.keys(topology), 'supervisor'].map((name) => `nats_${name}`),
  ]);
}

function asRecorded(process: InstanceProcess): RecordedProcess {
  return {
    ...process,
    kind: serverNames.includes(process.name) ? 'server' : 'service',
    restarts: 0,
  };
}

/** The folders of the stores are made when they get their marker, and only then. */
function makeFolders({ logs, models, work }: DataFolder): void {
  for (const place of [logs, models, work]) {
    mkdirSync(place, { recursive: true, mode: 0o700 });
  }
}

/** The first administrator's address; it can be changed until the password was shown. */
export function adminEmail(before: Instance | undefined, given: string | undefined): string {
  const settled = before?.adminAnnounced === true ? before.adminEmail : undefined;
  return settled ?? given ?? before?.adminEmail ?? defaultEmail;
}

/** The first administrator as the environment gives them, or files that it names. */
export function givenAdministrator(source: Readonly<Record<string, string | undefined>> = process.env) {
  return readEnv(firstAdministratorEnv, { ...source });
}

/** The first administrator's password; it can be read until it was shown once. */
export function takeAdminPassword(folder: DataFolder, secrets: Secrets, instance: Instance): string | undefined {
  if (instance.adminAnnounced) return undefined;
  const password = secrets.read(adminPassword);
  writeInstance(folder, { ...instance, adminAnnounced: true });
  // Truncated, not removed, because a running service refers to the file.
  replaceFile(secrets.file(adminPassword), '');
  return password;
}

function ensureAdminPassword(secrets: Secrets, instance: Instance): void {
  const file = secrets.file(adminPassword);
  if (instance.adminAnnounced) return;
  const given = givenAdministrator().OT_ADMIN_PASSWORD;
  if (given !== undefined) replaceFile(file, given);
  else if (!existsSync(file)) replaceFile(file, inventPassword());
}
