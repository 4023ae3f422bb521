import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { jobDurable, workerJobs, workerValue } from '@overtone/contracts';
import { AckPolicy, connect, RetentionPolicy, type KV, type NatsConnection } from 'nats';
import { readStatus } from '../commands/status.command.ts';
import { dataFolder, type DataFolder } from '../paths.ts';
import { freePorts } from '../servers/ports.ts';
import { secretsIn } from '../setup/secrets.ts';
import { setUp } from '../setup/set-up.ts';
import type { EnvironmentSource } from './environment.ts';
import { planInstance } from './plan.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';

const scale = { device: '1', workers: 2 };
const scaled = ['transcription-worker-gpu-1', 'transcription-worker-gpu-2'];

let folder: DataFolder;
let supervisor: Supervisor | undefined;
let nc: NatsConnection;
beforeEach(() => {
  folder = dataFolder(mkdtempSync(join(tmpdir(), 'overtone-scale-')));
});
afterEach(async () => {
  await nc.close();
  await supervisor?.stop();
  rmSync(folder.root, { recursive: true });
});

/** A fake driver that reports two GPUs. */
function pathWithGpus(): string {
  const bin = join(folder.root, 'bin');
  mkdirSync(bin);
  const program = join(bin, 'nvidia-smi');
  const cards = ['0, GPU-aa, NVIDIA A10, 23028, 8.6, [N/A]', '1, GPU-bb, Tesla T4, 15360, 7.5, [N/A]'];
  writeFileSync(program, `#!/bin/sh\nprintf '${cards.join('\\n')}\\n'\n`);
  chmodSync(program, 0o755);
  return `${bin}:${process.env['PATH'] ?? ''}`;
}

/** The streams that the missing dispatcher would create. */
async function provision(url: string, pass: string): Promise<string> {
  nc = await connect({ servers: url, user: 'supervisor', pass });
  const jsm = await nc.jetstreamManager();
  await jsm.streams.add({ name: 'JOBS', subjects: ['job.>'], retention: RetentionPolicy.Workqueue });
  for (const name of new Set(Object.values(workerJobs).map(jobDurable))) {
    const filter = `job.${name.replace('-', '.')}.>`;
    await jsm.consumers.add('JOBS', { durable_name: name, filter_subject: filter, ack_policy: AckPolicy.Explicit });
  }
  for (const bucket of ['LEASES', 'WORKERS']) await nc.jetstream({ timeout: 30_000 }).views.kv(bucket);
  return 'made streams';
}

/** The heartbeats of a number of workers. */
async function registrationsIn(bucket: KV, workers: number) {
  const registrations = new Map<string, { pulls: string[]; gpus: string[] }>();
  for await (const entry of await bucket.watch()) {
    const { pulls, gpu } = workerValue.parse(entry.json());
    // On a busy machine the first call of the driver can time out.
    if (!gpu?.devices.length) continue;
    registrations.set(entry.key, { pulls: pulls.toSorted(), gpus: gpu.devices.map((device) => device.name) });
    if (registrations.size === workers) break;
  }
  return [...registrations.values()].toSorted((left, right) => left.pulls.length - right.pulls.length);
}

describe('an instance started with --gpu-scale', () => {
  it('has additional workers that take only tasks for that GPU, and lists them', async () => {
    const [port] = await freePorts(1);
    const instance = await setUp(folder, port, scale);
    const secrets = secretsIn(folder.secrets);
    // An unused embedding server, because the conversion of word vectors would take too long.
    const vectors = { EMBEDDINGS_OPENAI_BASE_URL: 'http://127.0.0.1:9' };
    const caller = { ...process.env, ...vectors, PATH: pathWithGpus(), OT_SCRIPTED_ENGINE: '1' };
    const source: EnvironmentSource = { folder, instance, secrets, uiFolder: folder.root, caller };
    const plan = planInstance(source, ['transcription-worker'], scale);
    supervisor = createSupervisor({
      folder,
      plan: {
        servers: plan.servers.filter((server) => server.name === 'nats'),
        services: plan.services,
        mark: plan.mark,
      },
      migrate: async () =>
        await provision(`nats://127.0.0.1:${instance.ports['nats']}`, secrets.read('nats_supervisor')),
      progress: () => undefined,
      log: () => undefined,
    });
    await supervisor.start();

    const { services } = await readStatus(folder);
    const shown = services.filter((service) => service.name.startsWith('transcription-worker'));
    expect(shown.map((worker) => [worker.name, worker.ready])).toEqual(
      ['transcription-worker', ...scaled].map((name) => [name, true]),
    );
    expect(new Set(shown.map((worker) => worker.pid)).size).toBe(3);

    const workers = await nc.jetstream({ timeout: 30_000 }).views.kv('WORKERS');
    const registrations = await registrationsIn(workers, 3);
    const onOne = { pulls: ['gpu-transcription'], gpus: ['Tesla T4'] };
    const usual = {
      pulls: [
        'cpu-media',
        'cpu-redaction',
        'cpu-transcription',
        'download-media',
        'download-transcription',
        'embedding-voices',
        'gpu-transcription',
      ],
      gpus: ['NVIDIA A10', 'Tesla T4'],
    };
    expect(registrations).toEqual([onOne, onOne, usual]);
  });
});
