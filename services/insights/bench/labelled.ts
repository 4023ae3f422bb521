import { actionItemIn } from '../src/extractive/action-items.ts';
import { cuesOf } from '../src/extractive/cues-of.ts';
import { partsOf } from '../src/extractive/person-names.ts';
import { splitSentences } from '../src/extractive/sentences.ts';
import { findSpeakerNames } from '../src/extractive/speaker-names.ts';
import { fold, vocabularyOf } from '../src/extractive/words.ts';
import { actionCases } from '../test/labelled-actions.ts';
import { nameCases } from '../test/labelled-names.ts';
import { segmentsOf, type Meeting } from './meetings.ts';

type Row = { name: string; ours: string; goal?: string; met?: boolean };
type Counts = { labelled: number; found: number; right: number };

const goal = 0.9;

/** Recall and precision of names and action items on the labelled sentences of the tests. */
export function* labelledRows(): Iterable<Row> {
  yield rowOf(`labelled names (${nameCases.length} conversations)`, countNames());
  yield rowOf(`labelled action items (${actionCases.length} sentences)`, countActions());
}

/** Names found in meetings whose speakers are labelled with their own names; a label may have more words. */
export function* meetingNameRows(meetings: readonly Meeting[]): Iterable<Row> {
  const part = meetings.filter(({ domain }) => domain === 'Committee');
  for (const least of [0.5, 0.75]) {
    const found = part.flatMap((meeting) => {
      const segments = segmentsOf(meeting).map((segment) => ({ ...segment, speakerName: null, named: false }));
      return findSpeakerNames({ segments, language: 'en', knownNames: [] });
    });
    const chosen = found.filter(({ confidence }) => confidence >= least);
    const right = chosen.filter(({ name, speakerUuid }) => isPartOf(name, speakerUuid)).length;
    const precision = right / (chosen.length || 1);
    yield {
      name: `summaries: names of speakers from ${least}, Committee (${part.length} meetings)`,
      ours: `precision ${precision.toFixed(3)}  names ${chosen.length}`,
      goal: `>= ${goal}`,
      met: precision >= goal,
    };
  }
}

function rowOf(name: string, { labelled, found, right }: Counts): Row {
  const [recall, precision] = [right / labelled, right / (found || 1)];
  const ours = `recall ${recall.toFixed(3)}  precision ${precision.toFixed(3)}  labels ${labelled}`;
  const met = recall >= goal && precision >= goal;
  return { name: `summaries: ${name}`, ours, goal: `recall and precision >= ${goal}`, met };
}

function countNames(): Counts {
  const counts = { labelled: 0, found: 0, right: 0 };
  for (const { turns, language, names, known = [] } of nameCases) {
    const segments = turns.map((turn, i) => ({
      uuid: String(i),
      start: i * 5,
      end: i * 5 + 4,
      text: turn.slice(3),
      speakerUuid: turn.slice(0, 1),
      speakerName: null,
      named: false,
    }));
    const found = findSpeakerNames({ segments, language, knownNames: known });
    counts.labelled += Object.keys(names).length;
    counts.found += found.length;
    counts.right += found.filter(({ speakerUuid, name }) => names[speakerUuid] === name).length;
  }
  return counts;
}

function countActions(): Counts {
  const counts = { labelled: 0, found: 0, right: 0 };
  const knownNames = ['Anna', 'Ben', 'Maria', 'Sam'];
  for (const { text, language, action } of actionCases) {
    const cues = cuesOf[language];
    if (!cues) throw new Error(`no cue phrases of ${language}`);
    const segment = { uuid: 'one', start: 0, end: 1, text, speakerUuid: 'sam', speakerName: 'Sam' };
    const context = { language, cues, known: partsOf(knownNames), knownNames };
    const sentences = splitSentences([segment], vocabularyOf(language));
    const item = sentences.map((sentence) => actionItemIn(sentence, context)).find((found) => found !== null);
    counts.labelled += action ? 1 : 0;
    counts.found += item ? 1 : 0;
    counts.right += item && action && item.owner === action.owner && item.dueDate === action.dueDate ? 1 : 0;
  }
  return counts;
}

function isPartOf(name: string, label: string): boolean {
  const words = fold(label).split(/[^\p{L}'’-]+/u);
  return fold(name)
    .replace(/^(?:mr|mrs|ms|dr)\.? /, '')
    .split(' ')
    .every((word) => words.includes(word));
}
