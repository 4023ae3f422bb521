import { blocksOf, type Block, type Paragraph } from './document.ts';
import { clock } from './spoken.ts';
import type { Writer } from './transcript.ts';

/** Plain text: a paragraph is headed by speaker and time. */
export const writeTxt: Writer = async function* (transcript) {
  let separator = '';
  for await (const block of blocksOf(transcript)) {
    const text = plainText(block);
    if (text === '') continue;
    yield separator + text;
    separator = '\n';
  }
};

function plainText(block: Block): string {
  switch (block.kind) {
    case 'title':
      return `${block.title}\n${block.about}\n`;
    case 'speakers':
      return `Speakers:\n${block.rows.map((row) => `- ${speakerLine(row)}\n`).join('')}`;
    case 'section':
      return `${block.heading}:\n${block.items.map(({ text }) => `- ${text}\n`).join('')}`;
    case 'transcript':
      return '';
    case 'paragraph':
      return plainParagraph(block);
    default:
      return block satisfies never;
  }
}

function speakerLine({ name, initials, time }: { name: string; initials: string | null; time: string }): string {
  return `${initials === null ? name : `${initials}: ${name}`} (${time})`;
}

function plainParagraph({ speaker, start, end, runs }: Paragraph): string {
  const heading = [speaker, start && `[${start}]`].filter(Boolean).join(' ');
  const text = runs.map((run) => (run.uncertain ? `[${run.text}?]` : run.text)).join('');
  return `${heading === '' ? '' : `${heading}\n`}${text}${end === null ? '' : ` [${end}]`}\n`;
}

/** Markdown (CommonMark). */
export const writeMarkdown: Writer = async function* (transcript) {
  let separator = '';
  for await (const block of blocksOf(transcript)) {
    yield separator + markdown(block, transcript.link);
    separator = '\n';
  }
};

/** Backslashes before characters that would be markup; a line of text cannot begin a list or a heading. */
function escapeMarkdown(text: string): string {
  return text
    .replaceAll(/[\\`*_[\]<>|&~$]/g, String.raw`\$&`)
    .replace(/^([#+=-])/, String.raw`\$1`)
    .replace(/^(\d{1,9})([.)])/, String.raw`$1\$2`);
}

function markdown(block: Block, link: string): string {
  switch (block.kind) {
    case 'title':
      return `# ${escapeMarkdown(block.title)}\n\n${block.about}\n`;
    case 'speakers':
      return `## Speakers\n\n${block.rows.map((row) => `- ${escapeMarkdown(speakerLine(row))}\n`).join('')}`;
    case 'section':
      return `## ${block.heading}\n\n${block.items.map((item) => `- ${escapeMarkdown(item.text)}${times(item.seconds, link)}\n`).join('')}`;
    case 'transcript':
      return '## Transcript\n';
    case 'paragraph':
      return markdownParagraph(block);
    default:
      return block satisfies never;
  }
}

function times(seconds: readonly number[], link: string): string {
  const links = seconds.map((second) => `[${clock(second)}](${link}?t=${second})`);
  return links.length === 0 ? '' : ` (${links.join(', ')})`;
}

function markdownParagraph({ speaker, start, end, runs }: Paragraph): string {
  const heading = [speaker === null ? null : `**${escapeMarkdown(speaker)}**`, start].filter(Boolean).join(' ');
  const text = runs.map((run) => (run.uncertain ? `*${escapeMarkdown(run.text)}* (?)` : escapeMarkdown(run.text)));
  return `${heading === '' ? '' : `${heading}  \n`}${text.join('')}${end === null ? '' : ` ${end}`}\n`;
}
