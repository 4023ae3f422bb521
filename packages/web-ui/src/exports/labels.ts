import { msg } from '@lingui/core/macro';
import type { MessageDescriptor } from '@lingui/core';
import type { exportChoices, exportFlags, ExportFormat, subtitleIssueRules } from '@overtone/contracts/export-formats';
import { translateOnRead } from '../lib/language.ts';

type Choices = typeof exportChoices;
type Labels = { [K in keyof Choices]: Record<Choices[K][number], MessageDescriptor> };

export const formatLabels = translateOnRead<Record<ExportFormat, MessageDescriptor>>({
  docx: msg`Word document (DOCX)`,
  pdf: msg`PDF document`,
  html: msg`Web page (HTML)`,
  markdown: msg`Markdown`,
  txt: msg`Plain text`,
  srt: msg`Subtitles, SRT`,
  webvtt: msg`Subtitles, WebVTT`,
  ttml: msg`Subtitles, TTML`,
  csv: msg`Table (CSV)`,
  json: msg`JSON with words and times`,
  otr: msg`oTranscribe (OTR)`,
  qdpx: msg`Qualitative analysis (REFI-QDA)`,
});

export const choiceTitles = translateOnRead<Record<keyof Choices, MessageDescriptor>>({
  names: msg`Speaker names`,
  times: msg`Times`,
  paragraphs: msg`Paragraphs`,
  masked: msg`Hidden parts`,
  cues: msg`Subtitles`,
});

export const choiceLabels = translateOnRead<Labels>({
  names: {
    change: msg`When the speaker changes`,
    each: msg`Every time`,
    initials: msg`Initials`,
    none: msg`No names`,
  },
  times: {
    passage: msg`At every paragraph`,
    minute: msg`Once a minute`,
    end: msg`At the end of a paragraph`,
    none: msg`No times`,
  },
  paragraphs: {
    turns: msg`As long as one person speaks`,
    passages: msg`One for each passage`,
  },
  masked: {
    kind: msg`As their kind, such as [phone]`,
    bar: msg`As a black bar`,
    ellipsis: msg`As […]`,
  },
  cues: {
    reflowed: msg`Easy to read: two lines, enough time`,
    passages: msg`One for each passage`,
  },
});

export const flagLabels = translateOnRead<Record<keyof typeof exportFlags, MessageDescriptor>>({
  heading: msg`Title and date`,
  participants: msg`List of speakers`,
  summary: msg`Summary`,
  comments: msg`Comments and highlights`,
  uncertain: msg`Mark uncertain words`,
  line_numbers: msg`Line numbers`,
});

export const issueLabels = translateOnRead<Record<(typeof subtitleIssueRules)[number], MessageDescriptor>>({
  line_length: msg`Line too long`,
  lines: msg`Too many lines`,
  reading_speed: msg`Too fast to read`,
  too_short: msg`Shown too briefly`,
  too_long: msg`Shown too long`,
  gap: msg`No gap before it`,
  overlap: msg`Too many at the same time`,
});
