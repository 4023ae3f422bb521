import { appendFile, open, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { waitFor, wav } from '../../test/start-media.ts';
import { hashOf, place, startWatching } from '../../test/watching.ts';

/** Many files for a run by hand: OT_WATCH_FILES=10000. */
const manyFiles = Number(process.env['OT_WATCH_FILES'] ?? 100);
const { media, watchSource } = await startWatching();

describe('a watched folder under load', () => {
  it(
    `imports ${manyFiles} files, slow writers, renames, copies and duplicates: none twice, none half, none missed`,
    async () => {
      const options = { exclude: ['*.part'], stable_seconds: 2 };
      const { owner, folder, hashes, read, decisions } = await watchSource('load', options);
      const expected = new Set<string>();
      const add = (bytes: Buffer): Buffer => {
        expected.add(hashOf(bytes));
        return bytes;
      };
      const slowWriter = async (): Promise<void> => {
        // 1 MB/s for six seconds: longer than the file has to be unchanged.
        const bytes = add(wav(100_001, 3_000_000));
        const handle = await open(join(folder, 'slow.wav'), 'w');
        for (let at = 0; at < bytes.length; at += 100_000) {
          await handle.write(bytes.subarray(at, at + 100_000));
          // Allowed: the writer is slow.
          await sleep(100);
        }
        await handle.close();
      };
      const pausingWriter = async (): Promise<void> => {
        const bytes = add(wav(100_002, 200_000));
        await writeFile(join(folder, 'paused.wav'), bytes.subarray(0, 150_000));
        // Allowed: the writer pauses for longer than a file has to be unchanged.
        await sleep(6_000);
        await appendFile(join(folder, 'paused.wav'), bytes.subarray(150_000));
      };
      const renamingWriter = async (): Promise<void> => {
        await writeFile(join(folder, 'late.wav.part'), add(wav(100_003)));
        // Allowed: the file keeps its first name for longer than a scan.
        await sleep(3_000);
        await rename(join(folder, 'late.wav.part'), join(folder, 'late.wav'));
      };
      const manyWriter = async (): Promise<void> => {
        for (let i = 0; i < manyFiles; i += 1) {
          const file = await place(join(folder, `batch-${i % 7}/${i}.wav`), add(wav(200_000 + i, 400)));
          if (i % 3 === 0) await utimes(file, new Date(2024, 1, 1), new Date(2024, 1, 1));
          if (i % 5 === 0) await place(join(folder, `copies/${i}.wav`), wav(200_000 + i, 400));
        }
      };
      await Promise.all([slowWriter(), pausingWriter(), renamingWriter(), manyWriter()]);
      // Rarely, and without reading all rows: with many files the questions would take more time than the imports.
      const loadLimits = { timeoutMs: 150_000 + manyFiles * 200, intervalMs: 250 + manyFiles / 5 };
      const countFiles = async (): Promise<number> => {
        const counted = await media.query('select count(*)::int as n from media_file where user_id = $1', owner.userId);
        return Number(counted[0]?.['n']);
      };
      await waitFor(async () => (await countFiles()) >= expected.size, loadLimits);
      await waitFor(async () => !(await read()).counts.waiting, loadLimits);
      expect(await hashes()).toEqual([...expected].toSorted());
      const { counts } = await read();
      expect(counts).toEqual({ imported: expected.size, duplicate: Math.ceil(manyFiles / 5) });
      expect((await decisions('&decision=failed')).total).toBe(0);
      // The half of the file that a writer left for six seconds was never taken.
      const rows = await media.query('select count(*)::int as sizes from media_file where file_size = 150000');
      expect(rows).toEqual([{ sizes: 0 }]);
    },
    360_000 + manyFiles * 300,
  );
});
