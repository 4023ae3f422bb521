import { createEnvelope } from '../untrusted/untrusted.ts';
import { z } from 'zod';
import type { Line } from './sections.ts';
import { summaryAnswer } from './answers.ts';

/** What a summary pays attention to: strings of people who may use it, trusted like this program's own. */
export type Guidance = { text: string; organisationContext: string; language: string | null };
export type SummaryRequest = { system: string; prompt: string };

const shape = [
  'Answer with JSON only: {"brief":[{"text","n"}],"key_decisions":[{"text","n"}],"action_items":[{"text","owner","due_date","n"}],"topics":[{"title","n"}],"follow_ups":[{"text","n"}]}.',
  '"n" are the numbers in square brackets of the lines that a statement rests on, at most eight; every statement has some.',
  'Each element of "brief" is one sentence. Use an empty list for what was not spoken about. Copy an owner and a due date as they were spoken, otherwise null.',
  'Write plain text without Markdown or HTML.',
].join('\n');

const tasks = {
  whole: 'Summarise the transcript below.',
  section: 'Below is one part of a longer transcript. Summarise this part; other parts are summarised separately.',
  combine:
    'Below are numbered notes on consecutive parts of one recording. Combine them to one summary of the whole recording: join what belongs together, remove repetitions, keep every decision and action item.',
};
export type Task = keyof typeof tasks;

/** The request for a section, or for notes on sections. The key names what is sent, for a resumed summary. */
export function toRequest(task: Task, guidance: Guidance, lines: readonly Line[]): SummaryRequest {
  const envelope = createEnvelope();
  return {
    system: [...instructionsOf(task, guidance), envelope.rule].join('\n\n'),
    prompt: envelope.wrap(textOf(lines)),
  };
}

/** What determines the answer, without the random boundary. */
export function identityOf(task: Task, guidance: Guidance, lines: readonly Line[]): string {
  return [...instructionsOf(task, guidance), textOf(lines)].join('\n\n');
}

function textOf(lines: readonly Line[]): string {
  return lines.map(({ text }) => text).join('\n');
}

function instructionsOf(task: Task, { text, organisationContext, language }: Guidance): string[] {
  return [
    `You summarise recordings of an organisation. ${tasks[task]}`,
    text,
    organisationContext === '' ? '' : `About the organisation:\n${organisationContext}`,
    language === null
      ? 'Write in the language of the recording.'
      : `Write in ${languageName(language)}, whatever the language of the recording.`,
    shape,
  ].filter((part) => part !== '');
}

function languageName(code: string): string {
  return new Intl.DisplayNames('en', { type: 'language', fallback: 'code' }).of(code) ?? code;
}

const answerSchema = JSON.stringify(z.toJSONSchema(summaryAnswer, { target: 'draft-7', io: 'input' }));
/** Separators and roles that protocols add to a request. */
const frameTokens = 64;
const minRoom = 256;

/** How the window of a model is used. */
export type Budget = {
  maxOutputTokens: number;
  /** Tokens of the lines of one request; null: nothing fits. */ room: number | null;
};

export function budgetOf(contextTokens: number, guidance: Guidance, countTokens: (text: string) => number): Budget {
  const maxOutputTokens = Math.min(4_096, Math.max(512, Math.floor(contextTokens / 4)));
  // The longest task; every one has the same rule and shape.
  const { system, prompt } = toRequest('combine', guidance, []);
  const fixed = [system, prompt, answerSchema].reduce((sum, text) => sum + countTokens(text), frameTokens);
  const room = contextTokens - maxOutputTokens - fixed;
  return { maxOutputTokens, room: room >= minRoom ? Math.min(room, maxRoom) : null };
}

/** Models lose details in the middle of very long texts. */
const maxRoom = 24_000;
