import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AnswerOf, dispatcherRoutes } from '@overtone/contracts';
import { signIn, type Client } from '@overtone/e2e/client';
import { admin, type Instance } from '@overtone/e2e/instance';
import { signInAsOther } from '@overtone/e2e/people';
import { until } from '@overtone/e2e/until';
import { asService } from '@overtone/e2e/service-access';
import { quantile, type Bench, type Row } from './bench.ts';

/** Processing time of the engine for one hour of audio; proportional for a short recording. */
const secondsPerHour = 900;
const shortSeconds = 10;
const goalSeconds = 1;
/** One recording of an hour is processed, the other waits for the slot. */
const hours = 2;

async function silence(path: string, seconds: number): Promise<string> {
  await promisify(execFile)('sox', ['-n', '-r', '8000', '-c', '1', '-b', '16', path, 'trim', '0', String(seconds)]);
  return path;
}

async function send(api: Client, path: string): Promise<string> {
  const sent = await api.upload(path, { allow_duplicate: 'true' });
  if (sent.status !== 201) throw new Error(`upload: ${sent.status} ${sent.text}`);
  return sent.body.uuid;
}

type Timeline = AnswerOf<typeof dispatcherRoutes.fileTimeline>;
/** Whether one recording is being transcribed and all others wait for their transcription. */
async function isSlotOccupied(api: Client, uuids: string[]): Promise<boolean> {
  const all = await Promise.all(uuids.map((uuid) => api.ok<Timeline>('GET', `/api/tasks/files/${uuid}`)));
  const countFiles = (stage: string, status: string) =>
    all.filter(({ stages }) => stages.some((one) => one.stage === stage && one.status === status)).length;
  return countFiles('prepare', 'completed') === uuids.length && countFiles('transcribe', 'running') === 1;
}

/** Seconds from upload to completion as recorded by the server, and the waiting time included in them. */
type Duration = { wall: number; waited: number };

async function runShort(instance: Instance, api: Client, path: string): Promise<Duration> {
  const { uuid, upload_time, completed_at } = await api.completed(await send(api, path), 300_000);
  const [row] = await asService(instance, 'transcription-dispatcher', (query) =>
    query('select queue_s from file_pipeline_timing where file_id = $1', [uuid]),
  );
  return { wall: (Date.parse(completed_at ?? '') - Date.parse(upload_time)) / 1000, waited: Number(row?.['queue_s']) };
}

type Pair = { alone: Duration; beside: Duration };

function row(name: string, pairs: Pair[], key: keyof Duration, of: (values: number[]) => number): Row {
  const [ours, alone] = [of(pairs.map(({ beside }) => beside[key])), of(pairs.map(({ alone }) => alone[key]))];
  const later = of(pairs.map(({ beside, alone: single }) => beside[key] - single[key]));
  return {
    name: `beside: ${shortSeconds} s of audio beside hours, ${name}`,
    ours: `${ours.toFixed(2)} s`,
    peer: `alone ${alone.toFixed(2)} s`,
    ratio: ours / alone,
    goal: `<= ${goalSeconds} s later`,
    met: later <= goalSeconds,
  };
}

/** Alternates between both measurements, so that other load on the machine affects both. */
export const besideBench: Bench = {
  name: 'beside',
  about: "a short recording alone, and while another user's hours of audio occupy the only slot",
  run: async function* ({ size, another, folder }) {
    const script = join(folder, 'engine.json');
    await writeFile(script, JSON.stringify({ secondsPerHour }));
    const instance = await another({ OT_SCRIPTED_ENGINE: script });
    try {
      const root = await signIn(instance.baseUrl, admin.email, admin.password);
      const other = await signInAsOther(instance, 'short@example.org');
      const short = await silence(join(folder, 'short.wav'), shortSeconds);
      const hour = await silence(join(folder, 'hour.wav'), 3_600);
      await runShort(instance, other, short);
      const pairs: Pair[] = [];
      for (let turn = 0; turn < Math.max(3, Math.round(10 * size)); turn += 1) {
        const alone = await runShort(instance, other, short);
        const long: string[] = [];
        while (long.length < hours) long.push(await send(root, hour));
        await until('the slot is occupied and other recordings wait', () => isSlotOccupied(root, long), 180_000);
        const beside = await runShort(instance, other, short);
        if (!(await isSlotOccupied(root, long))) throw new Error('a recording of an hour ended during the measurement');
        for (const uuid of long) await root.ok('DELETE', `/api/files/${uuid}`);
        pairs.push({ alone, beside });
        console.error(
          `  alone ${alone.wall.toFixed(2)} s, beside ${beside.wall.toFixed(2)} s; waited ${alone.waited.toFixed(2)} s, ${beside.waited.toFixed(2)} s`,
        );
      }
      yield* [
        row('median', pairs, 'wall', (values) => quantile(values, 0.5)),
        row('longest waiting time', pairs, 'waited', (values) => Math.max(...values)),
      ];
    } finally {
      await instance.remove();
    }
  },
};
