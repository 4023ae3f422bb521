import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFolderPlace } from '@overtone/media/folder-place';
import { alternate, type Bench } from './bench.ts';

const run = promisify(execFile);
const filesPerFolder = 100;
const rounds = 5;
/** Of one core, at the default of one listing per minute. */
const goalShare = 0.01;
const pollMs = 60_000;

/** The processor time that a watched folder takes when nothing arrives, compared with `find`. */
export const watchBench: Bench = {
  name: 'watch',
  about: 'one listing of a watched folder in which nothing changed, compared with find',
  run: async function* ({ size, folder }) {
    const count = Math.round(10_000 * size);
    const watched = join(folder, 'watched');
    for (let first = 0; first < count; first += filesPerFolder) {
      const below = join(watched, `department-${first / filesPerFolder}`);
      await mkdir(below, { recursive: true });
      for (let i = first; i < Math.min(count, first + filesPerFolder); i += 1)
        await writeFile(join(below, `meeting-${i}.wav`), '');
    }
    const place = createFolderPlace({
      path: watched,
      moveTo: '',
      roots: [folder],
      pollingOnly: true,
      onChange: () => {},
    });
    const { our, peer } = await alternate(rounds, {
      our: async () => {
        const before = process.cpuUsage();
        const { entries } = await place.list(new AbortController().signal);
        if (entries.length !== count) throw new Error(`${entries.length} of ${count} files were listed`);
        const { user, system } = process.cpuUsage(before);
        return (user + system) / 1_000;
      },
      peer: async () => {
        const { stderr } = await run('bash', [
          '-c',
          'TIMEFORMAT="%U %S"; time find "$0" -printf "%T@ %s\\n" >/dev/null',
          watched,
        ]);
        return stderr.split(' ').reduce((sum, seconds) => sum + Number(seconds) * 1_000, 0);
      },
    });
    place.close();
    yield {
      name: `watch: processor time of a listing of ${count} files`,
      ours: `${our.toFixed(0)} ms, ${((our / pollMs) * 100).toFixed(2)} % of a core at one per minute`,
      peer: `${peer.toFixed(0)} ms (find)`,
      ratio: our / peer,
      goal: `<= ${goalShare * 100} % of a core`,
      met: our / pollMs <= goalShare,
    };
  },
};
