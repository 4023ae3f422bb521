import type { Cue, Reflow } from './reflow.ts';
import { createPassageCues, createReflow } from './reflow.ts';
import { namesBy, showMasked, timestamp } from './spoken.ts';
import { summaryLines } from './summary.ts';
import { speakerNames, type About, type Transcript, type Writer } from './transcript.ts';
import { escapeXml, isRightToLeft } from './xml.ts';

/** The subtitles of a transcript. `inText`: names stand in the text, not in a field of their own. */
export async function* cuesOf(
  { about, options, segments }: Pick<Transcript, 'about' | 'options' | 'segments'>,
  inText: boolean,
): AsyncGenerator<Cue> {
  const { names, masked } = options;
  const settings = { names, speakers: speakerNames(about), inText };
  const reflow: Reflow = options.cues === 'reflowed' ? createReflow(settings) : createPassageCues(settings);
  for await (const segment of segments) yield* reflow.push(showMasked(segment, masked));
  yield* reflow.end();
}

/** SubRip. The text must not contain a blank line, which ends a cue, or `-->`. */
export const writeSrt: Writer = async function* (transcript) {
  let number = 0;
  for await (const cue of cuesOf(transcript, true)) {
    number += 1;
    const body = cue.lines.join('\n').replaceAll('-->', '→');
    const times = `${timestamp(cue.start / 1000, ',')} --> ${timestamp(cue.end / 1000, ',')}`;
    yield `${number === 1 ? '' : '\n'}${number}\n${times}\n${body}\n`;
  }
};

function escapeVtt(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** WebVTT (https://www.w3.org/TR/webvtt1/): the speaker is a voice span, which players do not show. */
export const writeVtt: Writer = async function* (transcript) {
  yield 'WEBVTT\n';
  const { summary } = transcript;
  if (summary) yield `\nNOTE\n${summaryLines(summary).join('\n').replaceAll('-->', '→')}\n`;
  for await (const cue of cuesOf(transcript, false)) {
    const voice = cue.name === null ? '' : `<v ${escapeVtt(cue.name)}>`;
    const times = `${timestamp(cue.start / 1000, '.')} --> ${timestamp(cue.end / 1000, '.')}`;
    yield `\n${times}\n${voice}${escapeVtt(cue.lines.join('\n'))}\n`;
  }
};

/** TTML, text profile of IMSC 1.1 (https://www.w3.org/TR/ttml-imsc1.1/): the speaker is an agent. */
export const writeTtml: Writer = async function* (transcript) {
  const { about } = transcript;
  const speakers = [...new Set(speakerNames(about))];
  const nameOf = namesBy(transcript.options.names, speakers);
  const ids = new Map(speakers.map((speaker, i) => [speaker, `speaker${i + 1}`]));
  const agents = [...ids].flatMap(([speaker, id]) => {
    const name = nameOf(speaker);
    return name === null ? [] : [{ id, name }];
  });
  yield ttmlHead(about, agents);
  for await (const cue of cuesOf(transcript, false)) {
    const agent = cue.name === null ? undefined : ids.get(cue.speaker ?? '');
    const attributes = [
      `begin="${timestamp(cue.start / 1000, '.')}" end="${timestamp(cue.end / 1000, '.')}" region="bottom"`,
      ...(agent === undefined ? [] : [`ttm:agent="${agent}"`]),
      ...(isRightToLeft(cue.lines.join(' ')) ? ['tts:direction="rtl"'] : []),
    ];
    yield `      <p ${attributes.join(' ')}>${cue.lines.map(escapeXml).join('<br/>')}</p>\n`;
  }
  yield '    </div>\n  </body>\n</tt>\n';
};

function ttmlHead({ title, language }: About, agents: readonly { id: string; name: string }[]): string {
  const described = agents.map(
    ({ id, name }) =>
      `      <ttm:agent xml:id="${id}" type="person"><ttm:name type="full">${escapeXml(name)}</ttm:name></ttm:agent>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xmlns:tts="http://www.w3.org/ns/ttml#styling" ttp:timeBase="media" ttp:contentProfiles="http://www.w3.org/ns/ttml/profile/imsc1.1/text" xml:lang="${escapeXml(language ?? '')}">
  <head>
    <metadata>
      <ttm:title>${escapeXml(title)}</ttm:title>
${described.join('')}    </metadata>
    <styling>
      <style xml:id="text" tts:fontFamily="proportionalSansSerif" tts:fontSize="80%" tts:lineHeight="125%" tts:color="white" tts:backgroundColor="black" tts:textAlign="center"/>
    </styling>
    <layout>
      <region xml:id="bottom" tts:origin="10% 60%" tts:extent="80% 35%" tts:displayAlign="after"/>
    </layout>
  </head>
  <body style="text">
    <div>
`;
}
