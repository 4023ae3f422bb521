import { markSpeechModelAwaited, planSpeech, transferBytes } from '@overtone/models';
import { readIfThere } from '../files.ts';
import { isLocked, withLock } from '../lock.ts';
import { dataFolder, homeFolder, productFolder, productVersion, type DataFolder } from '../paths.ts';
import { messageOf, Refusal } from '../refusal.ts';
import { baseUrl, readInstance } from '../setup/instance.ts';
import { ensurePackages, productPackages } from '../setup/packages.ts';
import { checkDisk, checkSecrets, openDataFolder } from '../setup/preflight.ts';
import { checkEnvironment } from '../setup/check-environment.ts';
import { prepare } from '../setup/prepare.ts';
import { adoptModels } from '../setup/adopt-models.ts';
import { secretsIn } from '../setup/secrets.ts';
import { clearLeftovers, givenAdministrator, setUp, takeAdminPassword } from '../setup/set-up.ts';
import type { SupervisorMessage } from '../supervisor/messages.ts';
import { spawnGuardian } from '../supervisor/guardian.ts';
import { kill } from '../servers/process.ts';
import { instanceLock, setupLock, superviseInstance } from '../supervisor/run-instance.ts';
import { gpuScaleOf } from '../supervisor/gpu-scale.ts';
import { modelFolder, size, speechModelHint } from './models.command.ts';
import { createTerminal, type Terminal } from '../terminal.ts';
import { pinRelease, readPin, releaseOfClone } from '../update/releases.ts';

/** Options of `up`. */
export type UpOptions = {
  readonly data?: string;
  readonly port?: number;
  readonly detach?: boolean;
  /** Start more workers for one GPU (GPU_SCALE_DEVICE_ID, GPU_SCALE_WORKERS). */
  readonly gpuScale?: boolean;
};

/** Completes the setup, starts everything and waits until it is ready. */
export async function up(options: UpOptions): Promise<void> {
  const terminal = createTerminal();
  const folder = dataFolder(options.data);
  const gpuScale = options.gpuScale === true;
  const scale = gpuScale ? gpuScaleOf(process.env) : undefined;
  openDataFolder(folder);
  await withLock(setupLock(folder), async () => {
    if (await isLocked(instanceLock(folder))) {
      const later = gpuScale
        ? '; stop it first to start it with --gpu-scale'
        : ' (after an update: ./overtone restart)';
      terminal.done(`Overtone is running already at ${address(folder)}${later}`);
      return;
    }
    checkDisk(folder);
    checkSecrets(process.env, (name) => readIfThere(secretsIn(folder.secrets).file(name)));
    await ensurePackages(productPackages, terminal.step);
    terminal.busy('preparing');
    await prepare(terminal.done);
    await checkEnvironment(process.env);
    terminal.busy('clearing up after the last run');
    if ((await clearLeftovers(folder)) > 0) terminal.done('ended what the last run left behind');
    const wasUsedBefore = readInstance(folder) !== undefined;
    await setUp(folder, options.port, scale);
    if (!wasUsedBefore) await pinClone(terminal);
    await adoptModels(modelFolder(folder.root), { wasUsedBefore, terminal });
    await markAwaitedModel(modelFolder(folder.root));
    terminal.busy('starting');
    await (options.detach === true ? startDetached(folder, terminal, gpuScale) : startHere(folder, terminal, gpuScale));
    announce(folder, terminal, options.detach === true);
    await announceSpeechModel(modelFolder(folder.root), terminal);
  });
}

// A later checkout in the clone does not change the version of an installed release; `update` does.
async function pinClone(terminal: Terminal): Promise<void> {
  if (productFolder !== homeFolder || readPin(homeFolder) !== undefined) return;
  const version = await releaseOfClone(homeFolder);
  if (version === undefined) return;
  try {
    await pinRelease(homeFolder, { version, folder: homeFolder });
    terminal.done(`${version} is pinned; ./overtone update changes it`);
  } catch (error) {
    // The clone may belong to another account.
    terminal.warn(`${version} is not pinned: ${messageOf(error)}`);
  }
}

function address(folder: DataFolder) {
  const instance = readInstance(folder);
  return instance === undefined ? folder.root : baseUrl(instance);
}

function announce(folder: DataFolder, terminal: Terminal, detached: boolean): void {
  const instance = readInstance(folder)!;
  const password = takeAdminPassword(folder, secretsIn(folder.secrets), instance);
  terminal.line();
  terminal.line(`Overtone ${productVersion()} is ready at ${baseUrl(instance)}`);
  if (password !== undefined) {
    terminal.line(`  sign in as  ${instance.adminEmail}`);
    const isGiven = password === givenAdministrator().OT_ADMIN_PASSWORD;
    terminal.line(`  password    ${isGiven ? '(as given)' : password}`);
    if (!isGiven) terminal.line('  It is shown this once.');
  }
  terminal.line(detached ? '  stop it with  ./overtone down' : '  stop it with  Ctrl-C');
}

async function startHere(folder: DataFolder, terminal: Terminal, gpuScale: boolean): Promise<void> {
  const say = { progress: progressOn(terminal), log: terminal.warn };
  const supervisor = await superviseInstance(folder, say, { gpuScale, setsUpSpeech: true });
  const stop = () => {
    terminal.busy('stopping');
    void supervisor.stop().then(() => {
      terminal.done('stopped');
      process.exit(0);
    });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  try {
    await supervisor.start();
  } catch (error) {
    throw new Refusal(`Overtone did not start: ${messageOf(error)}. Look at ${folder.logs}`, { cause: error });
  }
}

async function startDetached(folder: DataFolder, terminal: Terminal, gpuScale: boolean): Promise<void> {
  const child = spawnGuardian(folder, gpuScale ? ['--gpu-scale'] : [], { env: process.env, ipc: true });
  // The guardian is the leader of its and the supervisor's process group.
  const abandon = () => {
    if (child.pid !== undefined) kill(-child.pid, 'SIGTERM');
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, abandon);
  const progress = progressOn(terminal);
  const failure = await new Promise<string | undefined>((resolve) => {
    child.on('message', (message: SupervisorMessage) => {
      if (message.type === 'progress') progress(message.line);
      else resolve(message.type === 'ready' ? undefined : message.reason);
    });
    child.once('exit', (code, signal) => resolve(`the supervisor ended (${signal ?? `exit code ${code}`})`));
    child.on('error', (error) => resolve(error.message));
    child.once('disconnect', () => resolve('the supervisor ended'));
  });
  if (failure !== undefined) {
    abandon();
    throw new Refusal(`Overtone did not start: ${failure}. Look at ${folder.logs}`);
  }
  // From here on a signal ends this command only.
  for (const signal of signals) process.off(signal, abandon);
  child.disconnect();
  child.unref();
}

function progressOn(terminal: Terminal) {
  return (line: string) => {
    terminal.done(line);
    terminal.busy('starting');
  };
}

/** The supervisor fetches the speech model after the start, and reports why it cannot. */
async function markAwaitedModel(cacheDir: string): Promise<void> {
  const plan = await planSpeech(cacheDir, process.env).catch(() => undefined);
  if (plan) await markSpeechModelAwaited(cacheDir, plan.model);
}

/** Says which speech model is fetched in the background, or how to get one. Never throws: the instance runs without a model, too. */
async function announceSpeechModel(cacheDir: string, terminal: Terminal): Promise<void> {
  try {
    const [entry] = (await planSpeech(cacheDir, process.env))?.entries ?? [];
    if (entry) {
      terminal.line();
      terminal.line(`  The speech model ${entry.name} (${size(transferBytes(entry))}) is fetched in the background.`);
      terminal.line('  Progress: ./overtone status. Without it, or any other: OT_SPEECH_MODEL=none');
      return;
    }
    const { hint, catalogueFault } = await speechModelHint(cacheDir);
    if (catalogueFault !== null) terminal.warn(catalogueFault);
    for (const line of hint?.lines ?? []) terminal.line(`  ${line}`);
  } catch (error) {
    terminal.warn(`no speech model is fetched: ${messageOf(error)}`);
  }
}
