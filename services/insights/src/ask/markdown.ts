import type { AskMessage, ConversationObject } from '@overtone/contracts';

const outcomes: Partial<Record<AskMessage['status'], string>> = {
  answering: 'The answer is being written.',
  declined: 'The recordings do not say.',
  failed: 'The question was not answered.',
  removed: 'The answer was removed, because a recording was deleted or more of it is masked.',
};
const makers: Record<NonNullable<AskMessage['made_by']>, string> = {
  model: 'Written by a language model',
  extractive: 'Quotes found in your recordings',
  count: 'Counted in the search index',
  summary: 'From the summary of the recording',
};

/** A conversation for reading elsewhere. Everything that people or models wrote is escaped. */
export function toMarkdown({ title, scope, scope_title: scopeTitle, messages }: ConversationObject): string {
  const about = scope === 'library' ? 'the library' : (scopeTitle ?? `a ${scope} that you may not read`);
  return [`# ${escapeText(title)}`, `About: ${escapeText(about)}`, ...messages.map(messageText)].join('\n\n') + '\n';
}

function messageText(message: AskMessage): string {
  const { question, status, sentences, citations, made_by: maker, model } = message;
  const outcome = outcomes[status];
  const answer = sentences.map(({ text, citations: numbers, withheld, supported }) => {
    if (withheld) return '(withheld: you may not read the recording)';
    const marks = numbers.map((number) => `[${number}]`).join('');
    return `${escapeText(text)}${marks === '' ? '' : ` ${escapeText(marks)}`}${supported ? '' : ' (not found in the recordings)'}`;
  });
  const origin = maker === null ? [] : [`_${makers[maker]}${model === null ? '' : `: ${escapeText(model)}`}_`];
  return [
    `## ${escapeText(question)}`,
    ...(outcome === undefined ? [] : [outcome]),
    ...(answer.length === 0 ? [] : [answer.join(' ')]),
    ...origin,
    ...(citations.length === 0 ? [] : [citations.map(citationText).join('\n')]),
  ].join('\n\n');
}

function citationText(citation: AskMessage['citations'][number]): string {
  const { number, file_title: title, start, speaker, quote } = citation;
  if (title === null || start === null) return `${number}. (withheld: you may not read the recording)`;
  const said = speaker === null ? '' : `${escapeText(speaker)}: `;
  return `${number}. ${escapeText(title)}, ${clock(start)}: ${said}“${escapeText(quote ?? '')}”`;
}

function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** On one line and without effect as Markdown or HTML. */
function escapeText(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_{}[\]<>()#+\-!|&~]/g, String.raw`\$&`);
}
