import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { signIn } from '@overtone/e2e/client';
import { admin } from '@overtone/e2e/instance';
import { wavHeader } from '@overtone/testkit';
import { startNginx } from '@overtone/testkit/nginx';
import { memoryOf, processesOf } from '@overtone/e2e/processes';
import { alternate, mebibytes, type Bench } from './bench.ts';
import { needTools } from './tools.ts';

const run = promisify(execFile);
const gibibyte = 1024 ** 3;
const speedGoal = 0.5;
const memoryGoal = 200 * 1024 ** 2;

/** A stereo recording of `bytes` bytes; its transcription is not awaited. */
async function makeSound(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'w');
  const block = Buffer.alloc(4 * 1024 * 1024);
  for (let i = 0; i < block.length; i += 4) block.writeInt32LE(Math.round(Math.sin(i / 97) * 0x1fffff), i);
  await file.write(wavHeader(bytes - 44, { rate: 48_000, channels: 2 }));
  for (let at = 44; at < bytes; at += block.length)
    await file.write(block.subarray(0, Math.min(block.length, bytes - at)));
  await file.close();
}

/** Uploads with curl, which has the same cost for both receivers. @returns the seconds. */
async function send(answer: string, args: readonly string[]): Promise<number> {
  const format = ['-sS', '-o', answer, '-w', '%{http_code} %{time_total}', '-H', 'Expect:'];
  const { stdout } = await run('curl', [...format, ...args]);
  const [code, seconds] = stdout.split(' ');
  if (!code?.startsWith('2')) throw new Error(`upload: ${code} ${await readFile(answer, 'utf8')}`);
  return Number(seconds);
}

function nodeProcesses(data: string) {
  return processesOf(data).filter((living) => /(^|\/)node\b/.test(living.command));
}

/** Resets the kernel's peak memory counter. */
function resetPeaks(pids: readonly number[]): void {
  for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function nameOf(command: string): string {
  return /(?:services|packages)\/([\w-]+)\//.exec(command)?.[1] ?? command.slice(0, 40);
}

/** An upload of a gibibyte through the edge, compared with nginx writing it to a file. */
export const uploadBench: Bench = {
  name: 'upload',
  about: 'a large upload through the edge, compared with nginx writing it to a file; memory during the upload',
  run: async function* ({ size, instance, folder }) {
    needTools(['nginx', 'curl']);
    const running = await instance();
    const api = await signIn(running.baseUrl, admin.email, admin.password);
    const sound = join(folder, 'large.wav');
    const bytes = Math.round(gibibyte * size);
    await makeSound(sound, bytes);
    const nginx = await startNginx({
      server: 'client_max_body_size 0; location / { root .; dav_methods PUT; }',
    });
    const answer = join(folder, 'answer.json');
    try {
      const before = nodeProcesses(running.data);
      resetPeaks(before.map((living) => living.pid));
      const form = ['-F', `file=@${sound};type=audio/wav`, '-F', 'allow_duplicate=true'];
      const { our, peer } = await alternate(3, {
        our: async () => {
          const signedIn = ['-H', `Authorization: Bearer ${api.token}`];
          const seconds = await send(answer, [...signedIn, ...form, `${running.baseUrl}/api/files`]);
          const { uuid } = JSON.parse(await readFile(answer, 'utf8')) as { uuid: string };
          await api.ok('DELETE', `/api/files/${uuid}`);
          return seconds;
        },
        peer: () => send(answer, ['-T', sound, `${nginx.url}/large.wav`]),
      });
      const peaks = nodeProcesses(running.data).map((living) => ({
        name: nameOf(living.command),
        peak: memoryOf(living.pid).peak,
      }));
      const worst = peaks.toSorted((left, right) => right.peak - left.peak)[0] ?? { name: 'none', peak: Number.NaN };
      const speed = (seconds: number): string => `${Math.round(bytes / 1024 ** 2 / seconds)} MiB/s`;
      yield* [
        {
          name: `upload of ${mebibytes(bytes)}`,
          ours: speed(our),
          peer: `nginx ${speed(peer)}`,
          ratio: peer / our,
          goal: `>= ${speedGoal}`,
          met: peer / our >= speedGoal,
        },
        {
          name: 'upload: most memory of a Node process',
          ours: `${mebibytes(worst.peak)} (${worst.name})`,
          goal: `<= ${mebibytes(memoryGoal)}`,
          met: worst.peak <= memoryGoal,
        },
      ];
    } finally {
      await nginx.stop();
      await rm(sound, { force: true });
    }
  },
};
