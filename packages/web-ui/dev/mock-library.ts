import { Refusal } from './mock-kit.ts';
import { me } from './mock-session.ts';
import { createMockSocket } from './mock-socket.ts';
import { sampleFiles, type SampleFile } from './sample.ts';

/** The recordings that every part of the mock speaks of, and the socket that tells of them. */
export const files: SampleFile[] = process.argv.includes('--empty') ? [] : sampleFiles();
export const socket = createMockSocket(me.uuid);

export const fileOf = (uuid: string | undefined): SampleFile => {
  const file = files.find((f) => f.uuid === uuid);
  if (!file) throw new Refusal(404, 'not_found', 'There is no such recording.');
  return file;
};
