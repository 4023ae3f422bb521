import { detect, detectIn, givenNames, isEnglishWord, mainlyNames, mergeSpans, type Span } from '@overtone/redaction';
import { redactionKinds, type RedactionKind } from '@overtone/contracts';
import type { Bench, Row } from './bench.ts';
import { openTextModels } from './text-models.ts';
import { groups, hardNegatives, ordinaryFrames, type Form } from './redaction.templates.ts';
import { createRandom, type Random } from './redaction.values.ts';

type Half = 'developed' | 'held out';
type Sample = {
  text: string;
  label: { kind: RedactionKind; start: number; end: number } | null;
  form: Form;
  half: Half;
};
type Score = { labels: number; found: number; reported: number; correct: number };

const seed = 20_260;
const perFrame = 8;
const goals: ReadonlySet<RedactionKind> = new Set(['card', 'phone', 'email', 'id_number', 'account']);
const options = { language: 'en', knownNames: [] };

/** Labelled sentences. Frames with an odd index are held out: no rule was written with their help. */
export function labelledSet(size: number): Sample[] {
  const random = createRandom(seed);
  const positive = groups.flatMap(({ kind, form, make, frames }) =>
    frames.flatMap((frame, i) =>
      Array.from({ length: Math.max(1, Math.round(perFrame * make.length ** 0.5 * size)) }, (): Sample => {
        const value = random.pick(make)(random).trim();
        const start = frame.indexOf('<>');
        const label = { kind, start, end: start + value.length };
        return { text: frame.replace('<>', value), label, form, half: i % 2 === 0 ? 'developed' : 'held out' };
      }),
    ),
  );
  const negative = hardNegatives.map((text, i): Sample => {
    const form: Form = /\d/.test(text) ? 'written' : 'spoken';
    return { text, label: null, form, half: i % 2 === 0 ? 'developed' : 'held out' };
  });
  return [...positive, ...negative];
}

/** Whether the span covers at least nine tenths of the label. */
function covers(span: Span, label: NonNullable<Sample['label']>): boolean {
  const shared = Math.min(span.end, label.end) - Math.max(span.start, label.start);
  return shared >= 0.9 * (label.end - label.start);
}

/** Each sentence with what was found in it. */
type Found = { sample: Sample; spans: Span[] };

/** The sentences on their own. */
function detectSingly(samples: readonly Sample[]): Found[] {
  return samples.map((sample) => ({ sample, spans: detect(sample.text, options) }));
}

/** The names in the sentences by the rules and by the installed names model; null without one. */
async function detectWithModel(
  found: readonly Found[],
  folder: string,
): Promise<{ model: string; found: Found[] } | null> {
  const models = openTextModels(folder);
  try {
    const [model] = await models.names('names');
    if (model === undefined) return null;
    const joined: Found[] = [];
    for (const { sample, spans } of found) {
      const [ranges = []] = await models.findNames(model, [sample.text]);
      const names = ranges.map(([start, end]): Span => ({ kind: 'name', start, end }));
      joined.push({ sample, spans: mergeSpans([...spans, ...names]) });
    }
    return { model, found: joined };
  } finally {
    await models.part.stop();
  }
}

/** The sentences in random order as the passages of one transcript, where words of one may mislead in the next. */
function detectTogether(samples: readonly Sample[], random: Random): Found[] {
  const shuffled = samples.map((sample) => ({ sample, key: random.below(1e9) })).toSorted((x, y) => x.key - y.key);
  const found = detectIn(
    shuffled.map(({ sample }) => sample.text),
    options,
  );
  return shuffled.map(({ sample }, i) => ({ sample, spans: found[i] ?? [] }));
}

function scoreOf(found: readonly Found[], kind: RedactionKind): Score {
  const score: Score = { labels: 0, found: 0, reported: 0, correct: 0 };
  for (const { sample, spans } of found) {
    const wanted = sample.label?.kind === kind ? sample.label : null;
    const reported = spans.filter((span) => span.kind === kind);
    const hits = wanted ? reported.filter((span) => covers(span, wanted)) : [];
    score.labels += wanted ? 1 : 0;
    score.found += hits.length > 0 ? 1 : 0;
    score.reported += reported.length;
    score.correct += hits.length;
  }
  return score;
}

function rowOf(found: readonly Found[], kind: RedactionKind, form: Form, part: string | null): Row {
  const chosen = found.filter(({ sample }) => sample.form === form);
  const { labels, found: recalled, reported, correct } = scoreOf(chosen, kind);
  const recall = labels === 0 ? 1 : recalled / labels;
  const precision = reported === 0 ? null : correct / reported;
  const ours = `recall ${recall.toFixed(3)}  precision ${precision?.toFixed(3) ?? '-'}  spans ${labels}`;
  const goal = { goal: 'recall >= 0.95, precision >= 0.9', met: recall >= 0.95 && (precision ?? 1) >= 0.9 };
  return { name: `redaction: ${kind}, ${form}${part ? ` (${part})` : ''}`, ours, ...(goals.has(kind) ? goal : {}) };
}

const ordinarySentences = 10_000;

/** Words of the dictionary that are in the list of names, each in ordinary sentences: how many are masked. */
function damageRow(size: number): Row {
  const words = [...givenNames].filter((name) => isEnglishWord(name) && !mainlyNames.has(name));
  const sentences = words
    .flatMap((word) => ordinaryFrames.map((frame) => frame.replace('<>', word)))
    .slice(0, Math.round(ordinarySentences * Math.min(1, size)));
  const damaged = sentences.reduce((sum, text) => sum + detect(text, options).length, 0);
  return {
    name: `redaction: damaged words in ${sentences.length} ordinary sentences`,
    ours: String(damaged),
    goal: '<= 5',
    met: damaged <= 5,
  };
}

/** The time for an hour of speech: 9,000 words with the personal data of the set in it. */
function timeRow(samples: readonly Sample[], random: Random): Row {
  const texts: string[] = [];
  for (let words = 0; words < 9_000;) {
    const { text } = random.pick(samples);
    texts.push(text);
    words += text.split(' ').length;
  }
  const started = performance.now();
  detect(texts.join('\n'), options);
  const ms = performance.now() - started;
  return { name: 'redaction: an hour of speech', ours: `${ms.toFixed(0)} ms`, goal: '<= 2000 ms', met: ms <= 2_000 };
}

export const redactionBench: Bench = {
  name: 'redaction',
  about: 'recall and precision of the masked kinds on labelled sentences, written and spoken',
  run: async function* ({ size, folder }) {
    const samples = labelledSet(size);
    const labelled = samples.filter(({ label }) => label).length;
    yield {
      name: 'redaction: labelled spans',
      ours: String(labelled),
      goal: '>= 500',
      met: labelled >= 500 * Math.min(1, size),
    };
    const singly = detectSingly(samples);
    const heldOut = singly.filter(({ sample }) => sample.half === 'held out');
    const together = detectTogether(samples, createRandom(seed + 2));
    for (const kind of redactionKinds)
      for (const form of ['written', 'spoken'] as const) {
        yield rowOf(singly, kind, form, null);
        yield rowOf(heldOut, kind, form, 'held out');
        if (kind !== 'name') yield rowOf(together, kind, form, 'in one transcript');
      }
    yield damageRow(size);
    const withModel = await detectWithModel(singly, folder);
    for (const form of withModel ? (['written', 'spoken'] as const) : []) {
      const { model, found } = withModel as NonNullable<typeof withModel>;
      yield rowOf(found, 'name', form, `with ${model}`);
      const others = found.filter(({ sample }) => sample.half === 'held out');
      yield rowOf(others, 'name', form, `held out, with ${model}`);
    }
    yield timeRow(samples, createRandom(seed + 1));
  },
};
