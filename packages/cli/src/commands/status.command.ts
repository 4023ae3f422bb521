import { fetchedPercent, readSpeechSetup, type SpeechSetup } from '@overtone/models';
import { z } from 'zod';
import { answers } from '../servers/probe.ts';
import { dataFolder, homeFolder, productVersion, type DataFolder } from '../paths.ts';
import { baseUrl, readInstance, type Instance } from '../setup/instance.ts';
import { listenerUrl } from '../supervisor/environment.ts';
import { serviceNames } from '../supervisor/plan.ts';
import { readLiveRuntime, type RecordedExit, type Runtime } from '../supervisor/runtime.ts';
import { createTerminal } from '../terminal.ts';
import { imageTag, runningContainers } from '../update/containers.ts';
import { modelFolder } from './models.command.ts';

/** One service in `status --json`. */
export type ServiceStatus = {
  readonly name: string;
  readonly url: string | null;
  readonly internal_url: string | null;
  readonly pid: number | null;
  /** What the process reports; null while it does not respond. */
  readonly version: string | null;
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
  readonly restarts: number;
  readonly exits: readonly RecordedExit[];
};

/** One server in `status --json`. */
export type ServerStatus = {
  readonly name: string;
  readonly pid: number;
  readonly restarts: number;
  readonly exits: readonly RecordedExit[];
  readonly answers: boolean;
};

/** The output of `status --json`. */
export type Status = {
  readonly base_url: string | null;
  /** What people use: the version of the edge, which an update replaces last. */
  readonly version: string;
  readonly profile: 'embedded' | 'containers';
  readonly running: boolean;
  readonly services: readonly ServiceStatus[];
  readonly servers: readonly ServerStatus[];
  /** The fetch of the speech model; null where nothing was fetched. */
  readonly speech_setup: SpeechSetup | null;
};

/** Prints the processes and their readiness; exit code 1 when a server does not answer or a service is not ready. */
export async function status(options: { readonly data?: string; readonly json?: boolean }): Promise<void> {
  const folder = dataFolder(options.data);
  const isContained =
    options.data === undefined && readInstance(folder) === undefined && imageTag(homeFolder) !== undefined;
  const found = isContained ? await readContainers(homeFolder) : await readStatus(folder);
  if (options.json === true) process.stdout.write(`${JSON.stringify(found, undefined, 2)}\n`);
  else show(found);
  const isHealthy = found.servers.every((server) => server.answers) && found.services.every((service) => service.ready);
  if (!found.running || !isHealthy) process.exitCode = 1;
}

/** Probes every service of the instance. */
export async function readStatus(folder: DataFolder): Promise<Status> {
  const instance = readInstance(folder);
  const runtime = readLiveRuntime(folder);
  const services =
    instance === undefined || runtime === undefined
      ? []
      : await Promise.all(processNames(runtime).map(async (name) => await serviceStatus(name, instance, runtime)));
  return {
    base_url: instance === undefined ? null : baseUrl(instance),
    version: versionOfEdge(services) ?? runtime?.version ?? productVersion(),
    profile: 'embedded',
    running: runtime !== undefined,
    services,
    servers: await Promise.all(
      (runtime?.processes ?? [])
        .filter((entry) => entry.kind === 'server')
        .map(async ({ name, pid, restarts }) => {
          const port = instance?.ports[name];
          const isAnswering = port !== undefined && (await answers(port, greetings[name] ?? ''));
          return { name, pid, restarts, exits: runtime?.exits[name] ?? [], answers: isAnswering };
        }),
    ),
    speech_setup: await readSpeechSetup(modelFolder(folder.root)),
  };
}

/** The containers of compose.yaml in a clone. Servers are checked by Docker. */
async function readContainers(home: string): Promise<Status> {
  const containers = await runningContainers(home);
  const services = containers.map(({ service, version, ready }) => ({
    name: service,
    url: null,
    internal_url: null,
    pid: null,
    version,
    ready,
    checks: {},
    restarts: 0,
    exits: [],
  }));
  return {
    base_url: null,
    version: versionOfEdge(services) ?? imageTag(home) ?? productVersion(),
    profile: 'containers',
    running: services.length > 0,
    services: services.sort((left, right) => left.name.localeCompare(right.name)),
    servers: [],
    speech_setup: null,
  };
}

function versionOfEdge(services: readonly ServiceStatus[]): string | undefined {
  return services.find(({ name, version }) => name === 'edge-gateway' && version !== null)?.version ?? undefined;
}

/** What each server answers without a password. PostgreSQL: SSLRequest (protocol 3.0, "Message Formats"). */
const greetings: Readonly<Record<string, string>> = {
  postgres: '\x00\x00\x00\x08\x04\xD2\x16\x2F',
  nats: '',
  redis: 'PING\r\n',
};

/** Every service and its additional processes. */
function processNames({ processes }: Runtime): string[] {
  const running = processes.filter((entry) => entry.kind === 'service').map((entry) => entry.name);
  return [...new Set([...serviceNames(), ...running])].sort();
}

/** Probes one service. */
export async function serviceStatus(name: string, instance: Instance, runtime: Runtime): Promise<ServiceStatus> {
  const running = runtime.processes.find((entry) => entry.name === name);
  const internalUrl = listenerUrl(instance, name, 'internal');
  const [version, readiness] = await Promise.all([askVersion(internalUrl), askReady(`${internalUrl}/health/ready`)]);
  return {
    name,
    url: listenerUrl(instance, name, 'api'),
    internal_url: internalUrl,
    pid: running?.pid ?? null,
    restarts: running?.restarts ?? 0,
    exits: runtime.exits[name] ?? [],
    version,
    ...readiness,
  };
}

async function askVersion(internalUrl: string): Promise<string | null> {
  try {
    const response = await fetch(`${internalUrl}/health`, { signal: AbortSignal.timeout(4000) });
    return z.object({ version: z.string() }).parse(await response.json()).version;
  } catch {
    return null;
  }
}

const readinessSchema = z.object({ checks: z.record(z.string(), z.string()).default({}) });

/** Asks a service whether it is ready. */
export async function askReady(url: string): Promise<{ ready: boolean; checks: Record<string, string> }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(4000) });
    const body = readinessSchema.safeParse(await response.json());
    return { ready: response.ok, checks: body.success ? body.data.checks : {} };
  } catch {
    return { ready: false, checks: {} };
  }
}

function show({ base_url, version, profile, running, services, servers, speech_setup: setup }: Status): void {
  const terminal = createTerminal();
  const start = profile === 'embedded' ? './overtone up' : 'docker compose up --detach';
  if (!running) return terminal.fail(`Overtone is not running; start it with: ${start}`);
  terminal.line(base_url === null ? `Overtone ${version} in containers` : `Overtone ${version} at ${base_url}`);
  const others = services.filter((service) => service.version !== null && service.version !== version);
  if (others.length > 0)
    terminal.warn(`an update is not complete: ${others.map((other) => `${other.name} ${other.version}`).join(', ')}`);
  for (const server of servers) {
    const mark = server.answers ? terminal.done : terminal.fail;
    const detail = server.answers ? '' : ', does not answer';
    mark(`${server.name.padEnd(26)} pid ${server.pid}${detail}${restarted(server)}`);
  }
  for (const service of services) {
    const failing = Object.entries(service.checks).filter(([, result]) => result !== 'ok');
    const detail = failing.map(([name, result]) => `, ${name}: ${result}`).join('');
    const mark = service.ready ? terminal.done : terminal.fail;
    const place = profile === 'containers' ? (service.version ?? '') : `pid ${service.pid ?? '-'}`;
    mark(`${service.name.padEnd(26)} ${place}${detail}${restarted(service)}`);
  }
  if (setup !== null) showSpeechSetup(setup);
}

function showSpeechSetup(setup: SpeechSetup): void {
  const terminal = createTerminal();
  const text = speechSetupText(setup);
  if (setup.state === 'failed') terminal.warn(`${text}; bring one with: ./overtone models import FOLDER`);
  else terminal.done(text);
}

/** How far the fetch of the speech model is. */
export function speechSetupText(setup: SpeechSetup): string {
  const { state, step, model, error } = setup;
  if (state === 'failed' && step === 'further') return `the speech model ${model} is installed`;
  if (state === 'failed') return `the speech model ${model} was not fetched: ${error ?? 'unknown reason'}`;
  if (state === 'done') return `the speech model ${model} is installed`;
  if (step === 'environment') return `the Python environment for the speech model ${model} is being made`;
  if (step === 'further')
    return `the models for speakers and search are being fetched; the speech model ${model} is installed`;
  return `the speech model ${model} is being fetched (${fetchedPercent(setup)} %)`;
}

function restarted({ restarts, exits }: { restarts: number; exits: readonly RecordedExit[] }) {
  const unexpected = describeExits(exits);
  if (unexpected !== undefined) return `, ${unexpected}`;
  if (restarts === 0) return '';
  return restarts === 1 ? ', restarted once' : `, restarted ${restarts} times`;
}

const hourMs = 3_600_000;

/** `ended 3 times in the last hour, last: SIGKILL at 03:12:04`; undefined without an unexpected exit in that time. */
export function describeExits(exits: readonly RecordedExit[], now = new Date()): string | undefined {
  const recent = exits.filter(({ at }) => now.getTime() - Date.parse(at) < hourMs);
  const last = recent.at(-1);
  if (last === undefined) return undefined;
  const times = recent.length === 1 ? 'once' : `${recent.length} times`;
  return `ended ${times} in the last hour, last: ${last.how} at ${new Date(last.at).toLocaleTimeString('en-GB')}`;
}
