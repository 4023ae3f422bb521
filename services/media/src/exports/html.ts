import { blocksOf, type Block, type Paragraph } from './document.ts';
import { clock, collapseWhitespace } from './spoken.ts';
import type { Writer } from './transcript.ts';
import { escapeXml } from './xml.ts';

const style = `
body { font: 1rem/1.55 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; color: #1c1c1c; background: #fff; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.about, time { color: #5a5a5a; } time { font-size: 0.85rem; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; } td, th { text-align: start; padding: 0.2rem 1.5rem 0.2rem 0; } td time { white-space: nowrap; }
.speaker { font-weight: 600; } mark { background: #fff0b8; } p.passage { margin: 0.9rem 0; }`;

/** One page without scripts and without anything that is loaded from elsewhere. */
export const writeHtml: Writer = async function* (transcript) {
  const { about } = transcript;
  const language = about.language === null ? '' : ` lang="${escapeXml(about.language)}"`;
  yield `<!doctype html>
<html${language}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeXml(collapseWhitespace(about.title))}</title>
<style>${style}
</style>
</head>
<body>
`;
  for await (const block of blocksOf(transcript)) yield html(block);
  yield '</body>\n</html>\n';
};

function html(block: Block): string {
  switch (block.kind) {
    case 'title':
      return `<h1 dir="auto">${escapeXml(block.title)}</h1>\n<p class="about">${escapeXml(block.about)}</p>\n`;
    case 'speakers': {
      const rows = block.rows.map(({ name, initials, time }) => {
        const cells = [...(initials === null ? [] : [initials]), name].map(
          (text) => `<td dir="auto">${escapeXml(text)}</td>`,
        );
        return `<tr>${cells.join('')}<td><time>${time}</time></td></tr>\n`;
      });
      return `<h2>Speakers</h2>\n<table>\n${rows.join('')}</table>\n`;
    }
    case 'section': {
      const items = block.items.map(({ text, seconds }) => {
        const links = seconds.map((second) => `<a href="#${anchorOf(second)}">${clock(second)}</a>`);
        return `<li dir="auto">${escapeXml(text)}${links.length === 0 ? '' : ` (${links.join(', ')})`}</li>\n`;
      });
      return `<h2>${block.heading}</h2>\n<ul>\n${items.join('')}</ul>\n`;
    }
    case 'transcript':
      return '<h2>Transcript</h2>\n';
    case 'paragraph':
      return paragraph(block);
    default:
      return block satisfies never;
  }
}

function anchorOf(second: number): string {
  return `t${Math.round(second * 1000)}`;
}

function paragraph({ speaker, start, end, runs }: Paragraph): string {
  const heading = [
    // Isolated: the text and not the name gives the paragraph its direction.
    ...(speaker === null ? [] : [`<bdi class="speaker">${escapeXml(speaker)}</bdi>`]),
    ...(start === null ? [] : [`<time>${start}</time>`]),
  ];
  const text = runs.map(({ text: part, uncertain, cited }) => {
    const anchor = cited === undefined ? '' : `<a id="${anchorOf(cited)}"></a>`;
    return anchor + (uncertain ? `<mark>${escapeXml(part)}</mark>` : escapeXml(part));
  });
  const time = end === null ? '' : ` <time>${end}</time>`;
  return `<p class="passage" dir="auto">${heading.length === 0 ? '' : `${heading.join(' ')}<br>`}${text.join('')}${time}</p>\n`;
}
