import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Recording, Utterance } from '@overtone/testkit/recordings';

const run = promisify(execFile);
const testData = '/usr/share/pocketsphinx/test/data';

/** Two voices that PocketSphinx recognizes nearly perfectly; every turn begins with a unique word. */
export const meeting: readonly Utterance[] = [
  { voice: 'slt', text: 'Good morning. Thank you for coming to the meeting today.' },
  { voice: 'rms', text: 'Good morning. I have the report on the new building with me.' },
  { voice: 'slt', text: 'The deadline for the report is in March. Can we finish the work before then?' },
  { voice: 'rms', text: 'Workers need two more weeks and the money is in the bank.' },
  { voice: 'slt', text: 'How many people are working on the project at this moment?' },
  { voice: 'rms', text: 'Seven people. One of them is leaving for the holidays on Monday.' },
  { voice: 'slt', text: 'Please send me a letter with the names of all the people before the end of the week.' },
  { voice: 'rms', text: 'Windows are too expensive. We should talk about the price of the windows on Friday.' },
];

/** A recording about another topic, so that a search has to distinguish the two. */
export const cooking: readonly Utterance[] = [
  { voice: 'rms', text: 'Today we are going to cook a soup with potatoes and rice.' },
  { voice: 'slt', text: 'Onions go into the pot first. Then we add the water and some salt.' },
  { voice: 'rms', text: 'After twenty minutes the soup is hot and everybody can eat.' },
];

/** Two real people: a woman reading Jane Austen and a man naming playing cards. */
export const realVoices: readonly Utterance[] = [
  {
    file: `${testData}/librivox/sense_and_sensibility_01_austen_64kb-0880.wav`,
    voice: 'reader',
    text: 'he was not an ill disposed young man',
  },
  { file: `${testData}/cards/005.wav`, voice: 'cards', text: 'eight of spades four of clubs seven of hearts' },
  {
    file: `${testData}/librivox/sense_and_sensibility_01_austen_64kb-0890.wav`,
    voice: 'reader',
    text: 'unless to be rather cold hearted and rather selfish is to be ill disposed',
  },
  { file: `${testData}/cards/001.wav`, voice: 'cards', text: 'ten of clubs' },
  {
    file: `${testData}/librivox/sense_and_sensibility_01_austen_64kb-0930.wav`,
    voice: 'reader',
    text: 'he might even have been made amiable himself',
  },
];

/** Converts a WAV to the format of the target's file extension. */
export async function convert(from: string, to: string): Promise<string> {
  await run('ffmpeg', ['-v', 'error', '-y', '-i', from, to]);
  return to;
}

/** A small MP4 with a moving picture and the sound of `from`. */
export async function film(from: string, to: string): Promise<string> {
  await run('ffmpeg', [
    '-v',
    'error',
    '-y',
    '-f',
    'lavfi',
    '-i',
    'testsrc=size=320x180:rate=10',
    '-i',
    from,
    '-shortest',
    to,
  ]);
  return to;
}

/** Writes a file whose content can contradict its extension. */
export async function write(path: string, content: string | Uint8Array): Promise<string> {
  await writeFile(path, content);
  return path;
}

/** When the first turn that begins with `word` is spoken. */
export function spokenAt(recording: Recording, word: string): number {
  const turn = recording.turns.find((turn) => turn.text.toLowerCase().startsWith(word.toLowerCase()));
  if (!turn) throw new Error(`no turn begins with ${word}`);
  return turn.start;
}
