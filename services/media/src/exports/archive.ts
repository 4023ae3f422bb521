import type { FileHandle } from 'node:fs/promises';
import { Readable, type PassThrough, type Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify/sync';
import yazl from 'yazl';

/** A row of the table of contents. Without `name` the recording is missing, and `note` says why. */
export type ArchiveEntry = {
  name: string | null;
  title: string;
  recorded: string | null;
  duration: number | null;
  language: string | null;
  link: string;
  note: string;
};
export const contentsName = 'contents.csv';

type Zip = {
  /** Adds a file and waits until it was sent. */
  add: (name: string, content: Readable, compress: boolean) => Promise<void>;
};
type Archive = {
  /** Adds a file and waits until it was sent. */
  add: (name: string, file: FileHandle, compress: boolean) => Promise<void>;
  /** Adds the table of contents, as the last file. */
  finish: (entries: readonly ArchiveEntry[]) => Promise<void>;
};

/** Sends a ZIP file of documents with a table of contents. */
export function sendArchive(
  target: Writable,
  signal: AbortSignal,
  fill: (archive: Archive) => Promise<void>,
): Promise<void> {
  return sendZip(target, signal, ({ add }) =>
    fill({
      add: (name, file, compress) => add(name, file.createReadStream({ autoClose: false }), compress),
      finish: (entries) => add(contentsName, Readable.from([Buffer.from(contentsOf(entries))]), true),
    }),
  );
}

/** Sends a ZIP file while it is made: it is never in memory, and a slow client delays the next file. */
export async function sendZip(target: Writable, signal: AbortSignal, fill: (zip: Zip) => Promise<void>): Promise<void> {
  const zip = new yazl.ZipFile();
  const output = zip.outputStream as PassThrough;
  const stopped = new AbortController();
  const sending = pipeline(output, target, { signal }).finally(() => stopped.abort());
  zip.on('error', (error: Error) => output.destroy(error));
  const fillAndEnd = async (): Promise<void> => {
    await fill({
      add: async (name, content, compress) => {
        zip.addReadStream(content, name, { compress });
        await finished(content, { signal: stopped.signal });
      },
    });
    zip.end();
  };
  const filling = fillAndEnd().catch((error: unknown) => {
    // Without the directory at its end, what was sent so far is no valid archive.
    output.destroy(error as Error);
    throw error;
  });
  const [sent, filled] = await Promise.allSettled([sending, filling]);
  if (sent.status === 'rejected') throw sent.reason;
  if (filled.status === 'rejected') throw filled.reason;
}

/** Spreadsheets run a cell that begins like a formula, and Excel reads UTF-8 only behind a byte order mark. */
function contentsOf(entries: readonly ArchiveEntry[]): string {
  const rows = entries.map(({ name, title, recorded, duration, language, link, note }) => {
    return [
      name ?? '',
      title,
      recorded ?? '',
      duration === null ? '' : Math.round(duration),
      language ?? '',
      link,
      note,
    ];
  });
  const heads = ['file', 'title', 'recorded', 'seconds', 'language', 'link', 'note'];
  return `\uFEFF${stringify([heads, ...rows], { escape_formulas: true, record_delimiter: 'windows' })}`;
}
