import { describe, expect, it } from '@jest/globals';
import { readFolders } from './dropped-files.ts';

function fileEntry(name: string, type: string, fails = false): FileSystemEntry {
  return {
    name,
    isDirectory: false,
    file: (resolve: (file: File) => void, reject: (error: Error) => void) =>
      fails ? reject(new Error('NotReadableError')) : resolve(new File(['x'], name, { type })),
  } as unknown as FileSystemEntry;
}

function folder(name: string, children: readonly FileSystemEntry[], partSize = 100): FileSystemEntry {
  return {
    name,
    isDirectory: true,
    createReader: () => {
      let at = 0;
      return {
        readEntries: (resolve: (part: readonly FileSystemEntry[]) => void) => {
          resolve(children.slice(at, at + partSize));
          at += partSize;
        },
      };
    },
  } as unknown as FileSystemEntry;
}

async function namesIn(entry: FileSystemEntry): Promise<string[]> {
  return (await readFolders([entry])).files.map(({ name }) => name);
}

describe('readFolders', () => {
  it('reads folders in folders', async () =>
    expect(
      await namesIn(folder('a', [fileEntry('1.wav', 'audio/wav'), folder('b', [fileEntry('2.mp4', 'video/mp4')])])),
    ).toEqual(['1.wav', '2.mp4']));
  it('reads a folder to its end although the browser returns it in parts', async () => {
    const many = Array.from({ length: 250 }, (_, i) => fileEntry(`${i}.mp3`, 'audio/mpeg'));
    expect(await namesIn(folder('a', many))).toHaveLength(250);
  });
  it('counts other files and ignores hidden ones', async () =>
    expect(
      await readFolders([
        folder('a', [fileEntry('x.pdf', 'application/pdf'), fileEntry('.DS_Store', ''), fileEntry('x.mkv', '')]),
      ]),
    ).toMatchObject({ files: [{ name: 'x.mkv' }], skipped: 1, unreadable: [] }));
  it('names a file that cannot be read and continues', async () =>
    expect(
      await readFolders([folder('a', [fileEntry('1.wav', 'audio/wav', true), fileEntry('2.wav', 'audio/wav')])]),
    ).toMatchObject({ files: [{ name: '2.wav' }], unreadable: ['1.wav'] }));
});
