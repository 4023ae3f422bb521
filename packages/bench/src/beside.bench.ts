import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AnswerOf, dispatcherRoutes } from '@overtone/contracts';
import { signIn, type Client } from '@overtone/e2e/client';
import { admin } from '@overtone/e2e/instance';
import { signInAsOther } from '@overtone/e2e/people';
import { until } from '@overtone/e2e/runner';
import { quantile, type Bench, type Row } from './bench.ts';

/** Of one hour, as long as its engine takes for it; a short recording takes what is its share. */
const secondsPerHour = 900;
const shortSeconds = 10;
const goalSeconds = 1;
/** One is worked on; the other ones wait for its place. */
const hours = 3;

const silence = async (path: string, seconds: number): Promise<string> => {
  await promisify(execFile)('sox', ['-n', '-r', '8000', '-c', '1', '-b', '16', path, 'trim', '0', String(seconds)]);
  return path;
};
/** Sends a recording that nobody has sent before. */
const send = async (api: Client, path: string, mark: number): Promise<string> => {
  const bytes = await readFile(path);
  bytes.writeInt16LE(mark, bytes.length - 2);
  await writeFile(path, bytes);
  const sent = await api.upload(path);
  if (sent.status !== 201) throw new Error(`upload: ${sent.status} ${sent.text}`);
  return sent.body.uuid;
};
type Timeline = AnswerOf<typeof dispatcherRoutes.fileTimeline>;
/** How many of them are prepared, and how many are being transcribed. */
const progressOf = async (api: Client, uuids: string[]) => {
  const all = await Promise.all(uuids.map((uuid) => api.ok<Timeline>('GET', `/api/tasks/files/${uuid}`)));
  const having = (stage: string, status: string) =>
    all.filter((t) => t.stages.some((s) => s.stage === stage && s.status === status)).length;
  return { prepared: having('prepare', 'completed'), transcribed: having('transcribe', 'running') };
};

/** Seconds from each upload to its transcript, indexed, as the server wrote them down; one after the other. */
const runShort = async (api: Client, path: string, marks: number[]): Promise<number[]> => {
  const taken: number[] = [];
  for (const mark of marks) {
    const { upload_time, completed_at } = await api.completed(await send(api, path, mark), 300_000);
    taken.push((Date.parse(completed_at ?? '') - Date.parse(upload_time)) / 1000);
  }
  return taken;
};

const later = (name: string, beside: number, alone: number): Row => ({
  name: `beside: ${shortSeconds} s beside hours, ${name}`,
  ours: `${beside.toFixed(2)} s`,
  peer: `alone ${alone.toFixed(2)} s`,
  ratio: beside / alone,
  goal: `<= ${goalSeconds} s later`,
  met: beside - alone <= goalSeconds,
});

/**
 * One short recording while an hour is prepared, the others while it takes the one place for long ones and more of its
 * owner's wait for that.
 */
export const besideBench: Bench = {
  name: 'beside',
  about: "a short recording alone, and while somebody else's hours of audio take the place there is",
  run: async ({ size, another, folder }) => {
    const script = join(folder, 'engine.json');
    await writeFile(script, JSON.stringify({ secondsPerHour }));
    const instance = await another({ OT_SCRIPTED_ENGINE: script });
    try {
      const root = await signIn(instance.baseUrl, admin.email, admin.password);
      const other = await signInAsOther(instance, 'short@example.org');
      const short = await silence(join(folder, 'short.wav'), shortSeconds);
      const hour = await silence(join(folder, 'hour.wav'), 3_600);
      const count = Math.max(3, Math.round(12 * size));
      const marks = (from: number) => Array.from({ length: count }, (_, i) => from + i);

      await runShort(other, short, [1, 2]);
      const alone = await runShort(other, short, marks(100));
      const long = [await send(root, hour, 1)];
      const whilePrepared = await runShort(other, short, [500]);
      for (let mark = 2; mark <= hours; mark += 1) long.push(await send(root, hour, mark));
      const taken = async () => {
        const { prepared, transcribed } = await progressOf(root, long);
        return prepared === hours && transcribed === 1;
      };
      await until('the place is taken and waited for', taken, 180_000);
      const beside = [...whilePrepared, ...(await runShort(other, short, marks(1_000)))];
      if (!(await taken())) throw new Error('an hour had ended meanwhile');

      console.error(`  alone ${alone.map((s) => s.toFixed(2)).join(' ')}`);
      console.error(`  beside ${beside.map((s) => s.toFixed(2)).join(' ')}`);
      return [
        later('half of them', quantile(beside, 0.5), quantile(alone, 0.5)),
        later('slowest', Math.max(...beside), Math.max(...alone)),
      ];
    } finally {
      await instance.remove();
    }
  },
};
