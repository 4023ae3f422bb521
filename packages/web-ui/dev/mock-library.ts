import { Refusal } from './mock-kit.ts';
import { me } from './mock-session.ts';
import { createMockSocket } from './mock-socket.ts';
import { sampleFiles, type SampleFile } from './sample.ts';

/** The recordings of the mock, and the socket that reports their changes. */
export const files: SampleFile[] = process.argv.includes('--empty') ? [] : sampleFiles();
export const socket = createMockSocket(me.uuid);

export const fileOf = (uuid: string | undefined): SampleFile => {
  const file = files.find((f) => f.uuid === uuid);
  if (!file) throw new Refusal(404, 'not_found', 'There is no such recording.');
  return file;
};
