import { toLine, type Envelope } from '../untrusted/untrusted.ts';
import type { Passage } from './citations.ts';

/** The whole answer of a model that finds nothing in the passages. */
export const notFoundAnswer = 'NOT_IN_RECORDINGS';
export const maxOutputTokens = 800;
/** Reserved for message frames that the protocols add. */
const frameTokens = 64;
const historyShare = 0.25;
const maxTurns = 6;

/** An earlier question with the answer that its asker may still read. */
export type Turn = { question: string; answer: string };
export type PromptInput = {
  question: string;
  /** In the order of their rank. */
  passages: readonly Passage[];
  /** The oldest first. */
  history: readonly Turn[];
  organisationContext: string;
};
type Model = { contextTokens: number; countTokens: (text: string) => number };
export type Prompt = { system: string; prompt: string; used: Passage[] };

const instructions = [
  'You answer questions about recordings of a library. You have excerpts of their transcripts and nothing else.',
  'Answer only with what the excerpts say. Never use other knowledge and never guess.',
  `If the excerpts do not contain the answer, write exactly ${notFoundAnswer} and nothing more.`,
  'Write at most eight short sentences of plain text, in the words of the excerpts and in their language.',
  'Write no headings, no lists, no links, no source numbers and no markup: sources are added afterwards.',
  'Name a person only if an excerpt names the person.',
].join('\n');

/**
 * The request for one answer. Passages are added in the order of their rank and earlier turns from the latest back, as long
 * as everything fits the window of the model.
 */
export function promptFor(input: PromptInput, model: Model, { wrap, rule }: Envelope): Prompt {
  const { question, organisationContext } = input;
  const context = organisationContext === '' ? '' : `\nAbout the organisation:\n${organisationContext}`;
  const system = `${instructions}\n${rule}${context}`;
  const fixed = model.countTokens(`${system}\n${wrap('')}\n${questionText(question)}`);
  const room = model.contextTokens - maxOutputTokens - frameTokens - fixed;
  const turns = latestTurns(input.history, Math.floor(room * historyShare), model);
  const used = fittingPassages(input.passages, room - model.countTokens(turns), model);
  return { system, prompt: `${wrap(`${turns}${excerptsText(used)}`)}\n${questionText(question)}`, used };
}

function questionText(question: string): string {
  return `Question: ${question}`;
}

function latestTurns(history: readonly Turn[], room: number, model: Model): string {
  let text = '';
  for (const { question, answer } of history.slice(-maxTurns).toReversed()) {
    const longer = `Earlier question: ${toLine(question)}\nEarlier answer: ${toLine(answer)}\n${text}`;
    if (model.countTokens(longer) > room) break;
    text = longer;
  }
  return text;
}

function fittingPassages(passages: readonly Passage[], room: number, model: Model): Passage[] {
  const used: Passage[] = [];
  let left = room;
  for (const passage of passages) {
    // Counted alone: the sum is an upper bound of the whole.
    const tokens = model.countTokens(`${headingOf(passage)}\n${lineOf(passage)}\n`);
    if (tokens > left) continue;
    left -= tokens;
    used.push(passage);
  }
  return used;
}

/** Excerpts by recording, each recording in the order of its time. */
function excerptsText(passages: readonly Passage[]): string {
  const files = Map.groupBy(passages, ({ fileId }) => fileId);
  return [...files.values()]
    .map((excerpts) => {
      const ordered = excerpts.toSorted((x, y) => x.start - y.start);
      return [headingOf(ordered[0] as Passage), ...ordered.map(lineOf)].join('\n');
    })
    .join('\n\n');
}

function headingOf({ title }: Passage): string {
  return `Recording: ${toLine(title)}`;
}

function lineOf({ speaker, text }: Passage): string {
  return `${toLine((speaker ?? 'Someone').replaceAll(':', ' '))}: ${toLine(text)}`;
}

/** Whether a text, complete or still being written, is the answer of a model that found nothing. */
export function isNotFound(answer: string): boolean {
  const text = answer.trim().replace(/^["'`*]+/, '');
  return text === '' ? false : text.startsWith(notFoundAnswer) || notFoundAnswer.startsWith(text);
}
