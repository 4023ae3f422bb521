/** What can be chosen for an export, with its values; the first one is the default. */
export const exportChoices = {
  /** Where the name of a speaker is written. */
  names: ['change', 'each', 'initials', 'none'],
  /** Which times are written: of each paragraph, of the first paragraph of a minute, of the end of a paragraph. */
  times: ['passage', 'minute', 'end', 'none'],
  /** Consecutive passages of one speaker are joined, or each passage is a paragraph. */
  paragraphs: ['turns', 'passages'],
  /** How masked parts are shown: by their kind (`[phone]`), as a bar, or as an ellipsis. */
  masked: ['kind', 'bar', 'ellipsis'],
  /** Subtitles by the rules of length and reading speed, or one for each passage. */
  cues: ['reflowed', 'passages'],
} as const;

/** What can be switched on or off, with its default. */
export const exportFlags = {
  /** Title, date and duration. */
  heading: true,
  /** A list of the speakers with the time that each one spoke. */
  participants: false,
  summary: false,
  /** Comments and highlights. */
  comments: false,
  /** Words that the engine was not sure of are marked. */
  uncertain: false,
  /** Numbers in the margin for quoting by line. */
  line_numbers: false,
} as const;

/** The Word document of the organisation whose form a transcript gets: its default one, none, or one by its id. */
export const wordTemplateChoices = ['default', 'none'] as const;
export type WordTemplateChoice = string;

export type ExportOption = keyof typeof exportChoices | keyof typeof exportFlags | 'word_template';
export type ExportOptions = { word_template: WordTemplateChoice } & {
  [K in keyof typeof exportChoices]: (typeof exportChoices)[K][number];
} & {
  [K in keyof typeof exportFlags]: boolean;
};

type FormatDef = {
  readonly label: string;
  readonly extension: string;
  readonly mediaType: string;
  /** The content is bytes, not text: it cannot be copied. */
  readonly binary: boolean;
  readonly options: readonly ExportOption[];
};

const text = [
  'names',
  'times',
  'paragraphs',
  'masked',
  'heading',
  'participants',
  'summary',
  'comments',
  'uncertain',
] as const;
const subtitles = ['names', 'masked', 'cues'] as const;

/** The formats of an export, in the order in which they are offered. */
export const exportFormats = {
  docx: {
    label: 'Word document',
    extension: 'docx',
    mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    binary: true,
    options: [...text, 'word_template', 'line_numbers'],
  },
  pdf: {
    label: 'PDF document',
    extension: 'pdf',
    mediaType: 'application/pdf',
    binary: true,
    options: [...text, 'line_numbers'],
  },
  html: {
    label: 'Web page (HTML)',
    extension: 'html',
    mediaType: 'text/html; charset=utf-8',
    binary: false,
    options: text,
  },
  markdown: {
    label: 'Markdown',
    extension: 'md',
    mediaType: 'text/markdown; charset=utf-8',
    binary: false,
    options: text,
  },
  txt: {
    label: 'Plain text',
    extension: 'txt',
    mediaType: 'text/plain; charset=utf-8',
    binary: false,
    options: text,
  },
  srt: {
    label: 'Subtitles (SRT)',
    extension: 'srt',
    mediaType: 'application/x-subrip; charset=utf-8',
    binary: false,
    options: subtitles,
  },
  webvtt: {
    label: 'Subtitles (WebVTT)',
    extension: 'vtt',
    mediaType: 'text/vtt; charset=utf-8',
    binary: false,
    options: [...subtitles, 'summary'],
  },
  ttml: {
    label: 'Subtitles (TTML)',
    extension: 'ttml',
    mediaType: 'application/ttml+xml; charset=utf-8',
    binary: false,
    options: subtitles,
  },
  csv: {
    label: 'Table (CSV)',
    extension: 'csv',
    mediaType: 'text/csv; charset=utf-8',
    binary: false,
    options: ['names', 'masked'],
  },
  json: {
    label: 'JSON with words and times',
    extension: 'json',
    mediaType: 'application/json; charset=utf-8',
    binary: false,
    options: ['names', 'summary', 'comments'],
  },
  otr: {
    label: 'oTranscribe document (OTR)',
    extension: 'otr',
    mediaType: 'text/plain; charset=utf-8',
    binary: false,
    options: ['names', 'times', 'paragraphs', 'masked'],
  },
  qdpx: {
    label: 'Project for qualitative analysis (REFI-QDA)',
    extension: 'qdpx',
    mediaType: 'application/zip',
    binary: true,
    options: ['names', 'paragraphs', 'masked'],
  },
} as const satisfies Record<string, FormatDef>;

export type ExportFormat = keyof typeof exportFormats;
export const exportFormatNames = Object.keys(exportFormats) as [ExportFormat, ...ExportFormat[]];

/** The options of an export that chooses nothing. */
export const defaultExportOptions: ExportOptions = {
  names: exportChoices.names[0],
  times: exportChoices.times[0],
  paragraphs: exportChoices.paragraphs[0],
  masked: exportChoices.masked[0],
  cues: exportChoices.cues[0],
  ...exportFlags,
  word_template: wordTemplateChoices[0],
};

/** Stored options; what this version does not offer is replaced by its default. */
export function readExportOptions(stored: unknown): ExportOptions {
  const chosen = typeof stored === 'object' && stored !== null ? (stored as Record<string, unknown>) : {};
  const entries = Object.entries(defaultExportOptions).map(([name, usual]) => {
    const value = chosen[name];
    return [name, isOffered(name, value) ? value : usual] as const;
  });
  return Object.fromEntries(entries) as ExportOptions;
}

/** A stored name of a format; the first one when this version does not have it. */
export function readExportFormat(stored: unknown): ExportFormat {
  return exportFormatNames.find((name) => name === stored) ?? exportFormatNames[0];
}

function isOffered(name: string, value: unknown): boolean {
  if (name in exportFlags) return typeof value === 'boolean';
  if (name === 'word_template') return typeof value === 'string' && isWordTemplateChoice(value);
  return (exportChoices as Record<string, readonly unknown[]>)[name]?.includes(value) ?? false;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function isWordTemplateChoice(value: string): boolean {
  return uuid.test(value) || wordTemplateChoices.some((choice) => choice === value);
}

export function formatTakes(format: ExportFormat, option: ExportOption): boolean {
  return (exportFormats[format].options as readonly ExportOption[]).includes(option);
}

/** Recordings of a search that are exported at once. */
export const maxFoundFiles = 500;

/** The rules that a check of subtitles names. */
export const subtitleIssueRules = [
  'line_length',
  'lines',
  'reading_speed',
  'too_short',
  'too_long',
  'gap',
  'overlap',
] as const;
