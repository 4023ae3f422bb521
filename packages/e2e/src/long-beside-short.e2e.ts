import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { signIn } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { admin } from './instance.ts';
import { openLedger, type Ledger } from './ledger.ts';
import { signInAsOther } from './people.ts';
import type { Suite } from './suite.ts';
import { until } from './until.ts';
import { createCopy, uploadWithRetry } from './scripted.ts';

const slots = 4;
/** Duration of a long recording. */
const longSeconds = 1_800;

/** All transcription slots are busy with one user's long recordings when another user uploads a short one. */
export function longBesideShort({ scripted, recordings }: ScriptedContext): Suite {
  let ledger: Ledger | undefined;
  return {
    name: 'Long recordings and a short one',
    checks: [
      {
        rule: 'a short recording of one user is finished while long recordings of another user occupy every slot',
        limitMs: 400_000,
        run: async (log) => {
          const { instance, setEngine } = await scripted.get();
          const api = await signIn(instance.baseUrl, admin.email, admin.password);
          const other = await signInAsOther(instance, 'short@example.org');
          const opened = (ledger = await openLedger(instance));
          const silence = join(recordings.folder, 'long.wav');
          const sound = ['-n', '-r', '8000', '-c', '1', '-b', '16', silence, 'trim', '0', String(longSeconds)];
          await promisify(execFile)('sox', sound);
          // A long recording takes ten minutes, a short one seconds.
          await setEngine(1_200);
          const long: string[] = [];
          for (let i = 1; i <= slots; i++)
            long.push(await uploadWithRetry(api, await createCopy(silence, recordings.folder, 21_000 + i)));
          const running =
            "select 1 from task where file_id = any($1::uuid[]) and stage = 'transcribe' and status = 'in_progress'";
          const allRun = async () => (await opened.ask.dispatcher(running, [long])).length === slots;
          await until('every slot is occupied', allRun, 180_000);
          const startedAt = Date.now();
          const short = await uploadWithRetry(
            other,
            await createCopy(recordings.brief.path, recordings.folder, 21_999),
          );
          await other.completed(short);
          log(`finished after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
          assert.ok(await allRun(), 'a long recording ended before the short one');
          for (const id of long) await api.ok('DELETE', `/api/files/${id}`);
        },
      },
    ],
    close: async () => {
      await scripted.resetEngine();
      await ledger?.close();
    },
  };
}
