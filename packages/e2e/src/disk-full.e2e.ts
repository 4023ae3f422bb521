import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { signIn, type Answer, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { admin, createInstance, type Instance } from './instance.ts';
import { isAlive, processesOf } from './processes.ts';
import type { Suite } from './suite.ts';
import { until } from './until.ts';
import { asService, openBusAs } from './service-access.ts';
import { createSmallDisk, whyNoSmallDisk, type SmallDisk } from './small-disk.ts';
import { killNow, pidOf, services } from './victims.ts';

/** How long the disk stays full; long enough for a restart of PostgreSQL and NATS on it. */
const fullForMs = 12_000;

type Request = { name: string; send: () => Promise<Answer<unknown>>; successStatus: number };

function requestsOf(api: Client, path: string, acknowledged: string[]): Request[] {
  return [
    {
      name: 'POST /api/tags',
      successStatus: 200,
      send: async () => {
        const tag = `tag-${acknowledged.length}-${Math.random().toString(36).slice(2)}`;
        const answer = await api.call('POST', '/api/tags', {
          body: JSON.stringify({ name: tag }),
          headers: { 'content-type': 'application/json' },
        });
        if (answer.status === 200) acknowledged.push(tag);
        return answer;
      },
    },
    { name: 'POST /api/files', successStatus: 201, send: () => api.upload(path, { allow_duplicate: 'true' }) },
    {
      name: 'POST /api/files/tus',
      successStatus: 201,
      send: () =>
        api.call('POST', '/api/files/tus', {
          headers: {
            'tus-resumable': '1.0.0',
            'upload-length': '1000',
            'upload-metadata': `filename ${btoa('a.wav')},filetype ${btoa('audio/wav')}`,
          },
        }),
    },
  ];
}

/** Diagnostics: open runs and tasks, their messages in NATS, and the end of the logs. */
async function collectEvidence(instance: Instance): Promise<string> {
  const open = await asService(instance, 'transcription-dispatcher', (ask) =>
    Promise.all([
      ask("select uuid, file_id, status, created_at from run where status <> 'completed'"),
      ask("select * from task where status <> 'completed'"),
    ]),
  ).catch(String);
  const messages = await messagesOf(instance).catch(String);
  return `${JSON.stringify(open, undefined, 1)}\n${messages}\n${await instance.logsTail(40)}`;
}

async function messagesOf(instance: Instance): Promise<string> {
  const bus = await openBusAs(instance, 'transcription-dispatcher');
  try {
    const stream = await bus.request('$JS.API.STREAM.INFO.JOBS', '', { timeout: 5_000 });
    const consumers = await bus.request('$JS.API.CONSUMER.LIST.JOBS', '{"offset":0}', { timeout: 5_000 });
    return `${stream.string()}\n${consumers.string()}`;
  } finally {
    await bus.close();
  }
}

function supervisorOf(instance: Instance): number {
  const found = processesOf(instance.data).find(({ command }) => /^\S*node\b.*supervisor\.main\.ts/.test(command));
  assert.ok(found, 'no supervisor runs');
  return found.pid;
}

/** Fills the disk, kills servers and supervisor on it, and frees the space again. */
export function diskFull({ recordings }: ScriptedContext): Suite {
  let disk: SmallDisk;
  let script: string;
  let instance: Instance;
  let api: Client;
  let requests: Request[];
  const acknowledged: string[] = [];
  const uploaded: string[] = [];
  let pids: Map<string, number>;

  const areWritesAccepted = async (): Promise<boolean> => {
    for (const { send, successStatus } of requests) {
      const answer = await send().catch(() => undefined);
      if (answer?.status !== successStatus) return false;
    }
    return true;
  };
  const expectRecovery = async (log: (line: string) => void): Promise<void> => {
    await disk.empty();
    const startedAt = Date.now();
    await until('writes are accepted', areWritesAccepted, 90_000, 200);
    log(`writes accepted ${((Date.now() - startedAt) / 1000).toFixed(1)} s after space was freed`);
  };

  return {
    name: 'Full disk',
    unavailable: whyNoSmallDisk,
    evidence: async () => (instance === undefined ? '' : collectEvidence(instance)),
    checks: [
      {
        rule: 'starts on a small disk and accepts recordings',
        run: async () => {
          disk = await createSmallDisk();
          script = join(disk.folder, 'engine.json');
          await writeFile(script, JSON.stringify({ secondsPerHour: 0 }));
          instance = await createInstance({ OT_SCRIPTED_ENGINE: script }, join(disk.folder, 'data'));
          const ran = await instance.up();
          assert.equal(ran.code, 0, ran.output);
          api = await signIn(instance.baseUrl, admin.email, admin.password);
          requests = requestsOf(api, recordings.brief.path, acknowledged);
          const sent = await api.upload(recordings.brief.path);
          assert.equal(sent.status, 201, sent.text);
          uploaded.push(sent.body.uuid);
          pids = new Map(services.map((name) => [name, pidOf(instance, name)]));
        },
      },
      {
        rule: 'refuses uploads with 507 and every other write with 507 or 503 and a code while the disk is full',
        run: async () => {
          const wrong: string[] = [];
          for (const end = Date.now() + fullForMs; Date.now() < end; await sleep(100)) {
            await disk.fill(); // repeatedly, so that the reserve is used, too
            for (const { name, send, successStatus } of requests) {
              const { status, text, body } = await send();
              const code = (body as { code?: string } | undefined)?.code;
              const refused = [503, 507].includes(status) && code !== undefined;
              const isExpected = name === 'POST /api/tags' ? refused || status === successStatus : refused;
              if (!isExpected) wrong.push(`${name}: ${status} ${text.slice(0, 200)}`);
            }
          }
          assert.deepEqual(wrong, []);
        },
      },
      {
        rule: 'stops no service, and the readiness of media reports that the storage is full',
        run: async () => {
          const ended = [...pids].filter(([, pid]) => !isAlive(pid)).map(([name]) => name);
          assert.deepEqual(ended, []);
          const status = await instance.status();
          const media = status.services.find(({ name }) => name === 'media');
          assert.match(String(media?.checks?.['object_storage']), /^error: storage_full\b/);
        },
      },
      { rule: 'recovers automatically when space is freed', run: expectRecovery, limitMs: 120_000 },
      {
        rule: 'recovers after PostgreSQL, NATS, media and the supervisor were killed on the full disk',
        run: async (log) => {
          await disk.fill();
          const supervisor = supervisorOf(instance);
          // A server may also have exited already, because it could not write.
          for (const victim of ['postgres', 'nats', 'media'] as const) killNow(instance, victim);
          process.kill(supervisor, 'SIGKILL');
          for (const end = Date.now() + fullForMs; Date.now() < end; await sleep(100)) await disk.fill();
          await expectRecovery(log);
          assert.notEqual(supervisorOf(instance), supervisor);
        },
        limitMs: 150_000,
      },
      {
        rule: 'has every acknowledged tag and finishes every accepted recording',
        run: async () => {
          const tags = await api.ok<{ name: string }[]>('GET', '/api/tags');
          const names = new Set(tags.map((tag) => tag.name));
          assert.deepEqual(
            acknowledged.filter((name) => !names.has(name)),
            [],
          );
          for (const uuid of uploaded) await api.completed(uuid);
          const internal = "select * from task_attempt where outcome = 'failed' and error_code = 'internal_error'";
          assert.deepEqual(await asService(instance, 'transcription-dispatcher', (ask) => ask(internal)), []);
        },
      },
      {
        rule: 'stops normally and leaves no running process',
        run: async () => {
          const ran = await instance.down();
          assert.equal(ran.code, 0, ran.output);
          assert.deepEqual(processesOf(instance.data), []);
          const log = await readFile(join(instance.data, 'logs', 'supervisor.log'), 'utf8');
          assert.match(log, /disk has space again/);
          assert.deepEqual(await instance.faults(), []);
        },
      },
    ],
    close: async () => {
      await disk?.empty();
      await instance?.remove();
      await disk?.remove();
    },
  };
}
