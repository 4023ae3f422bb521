import type { Utterance } from '@overtone/testkit/recordings';

type Reading = Extract<Utterance, { file: string }>;

const testData = '/usr/share/pocketsphinx/test/data';
const austen = `${testData}/librivox/sense_and_sensibility_01_austen_64kb`;

/** Real read speech by one person, with what she says. */
export const librivox: Reading[] = [
  {
    file: `${austen}-0870.wav`,
    voice: 'librivox',
    text: 'and mister john dashwood had then leisure to consider how much there might be prudently in his power to do for them',
  },
  { file: `${austen}-0880.wav`, voice: 'librivox', text: 'he was not an ill disposed young man' },
  {
    file: `${austen}-0890.wav`,
    voice: 'librivox',
    text: 'unless to be rather cold hearted and rather selfish is to be ill disposed',
  },
  {
    file: `${austen}-0920.wav`,
    voice: 'librivox',
    text: 'had he married a more amiable woman he might have been made still more respectable than he was',
  },
  { file: `${austen}-0930.wav`, voice: 'librivox', text: 'he might even have been made amiable himself' },
];

/** Real speech by another person: names of playing cards. */
export const cards: Reading[] = [
  ['001', 'ten of clubs'],
  ['002', 'four queen of clubs'],
  ['003', 'seven of clubs'],
  ['004', 'five five'],
  ['005', 'eight of spades four of clubs seven of hearts'],
].map(([name, text]) => ({ file: `${testData}/cards/${name}.wav`, voice: 'cards', text: text ?? '' }));

/** A meeting of two voices that PocketSphinx recognises nearly perfectly. */
export const meeting: Utterance[] = [
  { voice: 'slt', text: 'Good morning. Thank you for coming to the meeting today.' },
  { voice: 'rms', text: 'Good morning. I have the report on the new building with me.' },
  { voice: 'slt', text: 'Very good. The deadline for the report is in March. Can we finish the work before then?' },
  { voice: 'rms', text: 'I think so. The workers need two more weeks and the money is in the bank.' },
  { voice: 'slt', text: 'How many people are working on the project at this moment?' },
  { voice: 'rms', text: 'There are seven people. One of them is leaving for the holidays on Monday.' },
  { voice: 'slt', text: 'Please send me a letter with the names of all the people before the end of the week.' },
  { voice: 'rms', text: 'I will send the letter on Friday. We should also talk about the price of the windows.' },
];

function tokens(text: string): string[] {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z' ]+/g, ' ')
    .split(/\s+/)
    .filter(Boolean);
}

/** Share of words that are wrong, missing or added (Levenshtein over words). */
export function wordErrorRate(reference: string, hypothesis: string): number {
  const want = tokens(reference);
  const got = tokens(hypothesis);
  let row = Array.from({ length: got.length + 1 }, (_, column) => column);
  for (const [i, word] of want.entries()) {
    const next = [i + 1];
    for (let column = 1; column <= got.length; column++) {
      const same = word === got[column - 1] ? 0 : 1;
      next.push(Math.min((row[column - 1] ?? 0) + same, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return (row.at(-1) ?? 0) / Math.max(1, want.length);
}

/** Lets speakers take turns: one utterance of each, again and again. */
export function alternate(...speakers: readonly (readonly Utterance[])[]): Utterance[] {
  return Array.from({ length: Math.max(...speakers.map((speaker) => speaker.length)) }, (_, i) =>
    speakers.flatMap((speaker) => speaker.slice(i, i + 1)),
  ).flat();
}
