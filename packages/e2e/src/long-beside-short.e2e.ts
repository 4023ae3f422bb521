import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { signIn } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { admin } from './instance.ts';
import { openLedger, type Ledger } from './ledger.ts';
import { signInAsOther } from './people.ts';
import { until, type Suite } from './runner.ts';
import { copyOf, insist } from './scripted.ts';

const places = 4;
/** Of sound: far more than a short recording has. */
const longSeconds = 1_800;

/** Everything that can transcribe is busy with one person's long recordings when another one sends a short one. */
export const longBesideShort = ({ scripted, recordings }: ScriptedContext): Suite => {
  let ledger: Ledger | undefined;
  return {
    name: 'Long recordings beside a short one',
    checks: [
      {
        rule: "a short recording of somebody else is finished while another's long ones take every place",
        limitMs: 400_000,
        run: async (say) => {
          const { instance, pretend } = await scripted.get();
          const api = await signIn(instance.baseUrl, admin.email, admin.password);
          const other = await signInAsOther(instance, 'short@example.org');
          const books = (ledger = await openLedger(instance));
          const silence = join(recordings.folder, 'long.wav');
          const sound = ['-n', '-r', '8000', '-c', '1', '-b', '16', silence, 'trim', '0', String(longSeconds)];
          await promisify(execFile)('sox', sound);
          // A long one takes ten minutes; a short one seconds.
          await pretend(1_200);
          const long: string[] = [];
          for (let n = 1; n <= places; n++)
            long.push(await insist(api, await copyOf(silence, recordings.folder, 21_000 + n)));
          const running =
            "select 1 from task where file_id = any($1::uuid[]) and stage = 'transcribe' and status = 'in_progress'";
          const allRun = async () => (await books.ask.dispatcher(running, [long])).length === places;
          await until('every place is taken', allRun, 180_000);
          const from = Date.now();
          const short = await insist(other, await copyOf(recordings.brief.path, recordings.folder, 21_999));
          await other.completed(short);
          say(`finished after ${((Date.now() - from) / 1000).toFixed(1)} s`);
          assert.ok(await allRun(), 'a long one had ended meanwhile');
          for (const id of long) await api.ok('DELETE', `/api/files/${id}`);
        },
      },
    ],
    close: async () => {
      await scripted.calm();
      await ledger?.close();
    },
  };
};
