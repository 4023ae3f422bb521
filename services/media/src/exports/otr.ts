import { paragraphsOf, type Paragraph } from './document.ts';
import type { Writer } from './transcript.ts';
import { escapeXml } from './xml.ts';

/** A document of oTranscribe: JSON whose text is HTML, with times that its player jumps to. */
export const writeOtr: Writer = async function* (transcript) {
  yield '{"text":"';
  for await (const paragraph of paragraphsOf(transcript)) yield JSON.stringify(html(paragraph)).slice(1, -1);
  yield `","media":${JSON.stringify(transcript.about.filename)},"media-source":"","media-time":0}`;
};

function html({ speaker, start, end, time, runs }: Paragraph): string {
  const text = escapeXml(runs.map((run) => run.text).join(''));
  const parts = [
    ...(start === null ? [] : [timestamp(start, time.from)]),
    speaker === null ? text : `${escapeXml(speaker)}: ${text}`,
    ...(end === null ? [] : [timestamp(end, time.until)]),
  ];
  return `<p>${parts.join(' ')}</p>`;
}

function timestamp(shown: string, seconds: number): string {
  return `<span class="timestamp" contenteditable="false" data-timestamp="${seconds}">${shown}</span>`;
}
