import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { open, type Entry, type ZipFile } from 'yauzl';

export type Zip = {
  readonly names: readonly string[];
  /** The content of a file of the archive. @throws when it is larger than `limit` bytes, or is not in the archive. */
  read: (name: string, limit: number) => Promise<Buffer>;
  /** As `read`. The stream fails when the archive states another size than its content has. */
  stream: (name: string, limit: number) => Promise<Readable>;
  close: () => void;
};

const mostEntries = 100_000;

export async function openZip(path: string): Promise<Zip> {
  const file = await new Promise<ZipFile>((resolve, reject) => {
    open(path, { lazyEntries: true, autoClose: false }, (error, zip) => (error ? reject(error) : resolve(zip)));
  });
  const entries = await listEntries(file).catch((error: unknown) => {
    file.close();
    throw error;
  });
  const stream = async (name: string, limit: number): Promise<Readable> => {
    const entry = entries.get(name);
    if (!entry) throw new Error(`the archive has no ${name}`);
    if (entry.uncompressedSize > limit) throw new Error(`${name} has more than ${limit} bytes`);
    return new Promise((resolve, reject) => {
      file.openReadStream(entry, (error, content) => (error ? reject(error) : resolve(content)));
    });
  };
  return {
    names: [...entries.keys()],
    read: async (name, limit) => buffer(await stream(name, limit)),
    stream,
    close: () => file.close(),
  };
}

function listEntries(file: ZipFile): Promise<Map<string, Entry>> {
  if (file.entryCount > mostEntries) return Promise.reject(new Error('the archive has too many files'));
  const entries = new Map<string, Entry>();
  return new Promise((resolve, reject) => {
    file.on('entry', (entry) => {
      entries.set(entry.fileName, entry);
      file.readEntry();
    });
    file.once('end', () => resolve(entries));
    file.once('error', reject);
    file.readEntry();
  });
}
