import {
  stages,
  type FileDetail,
  type FileObject,
  type FileStatus,
  type RunOptions,
  type Stage,
} from '@overtone/contracts';
import { AppError } from '@overtone/service-kit';
import { isQuarantined } from '../access/access.ts';
import { Prisma, type MediaFile } from '../generated/client.ts';
import type { Mask } from '../redaction/redaction.ts';

export type FileRow = MediaFile;
export type FileProblem = NonNullable<FileObject['error']>;
type Counted = FileRow & { _count: { speakers: number }; grants: readonly unknown[] };
/** Names of people in the object of a file; the caller is left out of `owner`. */
export type FileNames = { owner?: string | null; editor?: string | null };

/** The ids that every event of a file carries. */
export function idsOf({ id, userId }: Pick<FileRow, 'id' | 'userId'>) {
  return { fileId: id, ownerId: userId };
}

/** Object keys of a file: the recording and the stages' results. */
export function originalKey(id: string): string {
  return `files/${id}/original`;
}

export function objectPrefixes(id: string): string[] {
  return [`files/${id}/`, `derived/${id}/`];
}

const stageLabels: Record<Stage, string> = {
  prepare: 'Preparing the recording',
  transcribe: 'Transcribing',
  diarize: 'Detecting speakers',
  assemble: 'Putting it together',
  index: 'Making it searchable',
};
/** Shown while the file waits for a worker of the stage. */
const waitingForStage: Record<Stage, string> = {
  prepare: 'Waiting to be processed',
  transcribe: 'Waiting to be transcribed',
  diarize: 'Waiting for speaker detection',
  assemble: 'Waiting to be put together',
  index: 'Waiting to be made searchable',
};
const statusLabels: Record<FileStatus, string> = {
  pending: 'Waiting for the upload',
  uploaded: 'Waiting to be processed',
  queued: 'Waiting to be processed',
  downloading: 'Downloading',
  processing: 'Processing',
  transcribing: 'Transcribing',
  completed: 'Ready',
  error: 'Failed',
  cancelling: 'Stopping',
  cancelled: 'Stopped',
  orphaned: 'The recording is missing',
  quarantined: 'In quarantine',
};
const waitingLabels = {
  engine: 'Waiting for a speech engine',
  worker: 'Waiting for a worker',
  paused: 'Paused by an administrator',
};

/** Whether processing has ended, so that only a request can start it again. */
export function isSettled(status: string): boolean {
  return ['completed', 'error', 'cancelled', 'quarantined'].includes(status);
}

/** Whether processing has ended or is being stopped. */
export function isEnding({ status }: Pick<FileRow, 'status'>): boolean {
  return isSettled(status) || status === 'cancelling';
}

type ProcessingState = Pick<FileRow, 'status' | 'stage' | 'stageDone'>;
/** The stage that runs, and the one that a waiting file waits for. */
function stagesOf(file: ProcessingState): Pick<FileObject, 'stage' | 'next_stage'> {
  const { stage, stageDone } = file;
  if (isEnding(file)) return { stage: null, next_stage: null };
  const current = stage as Stage | null;
  if (current !== null && !stageDone) return { stage: current, next_stage: null };
  return { stage: null, next_stage: stages[current === null ? 0 : stages.indexOf(current) + 1] ?? null };
}

type Shown = ProcessingState & Pick<FileRow, 'waitingFor' | 'noSpeech'>;

export function displayStatus(file: Shown): string {
  const status = file.status as FileStatus;
  if (status === 'completed' && file.noSpeech) return 'No speech found';
  if (isEnding(file)) return statusLabels[status];
  if (file.waitingFor) return waitingLabels[file.waitingFor as keyof typeof waitingLabels];
  const { stage, next_stage: next } = stagesOf(file);
  if (stage) return stageLabels[stage];
  return file.stage && next ? waitingForStage[next] : statusLabels[status];
}

/**
 * Whether the file has a recording, or one that is being downloaded. An imported transcript without one keeps the type of
 * its text.
 */
export function hasMedia({ contentType, objectKey }: Pick<FileRow, 'contentType' | 'objectKey'>): boolean {
  return objectKey === '' || /^(audio|video)\//.test(contentType);
}

/** The same rule as a filter. */
export const withMedia = {
  OR: [{ objectKey: '' }, { contentType: { startsWith: 'audio/' } }, { contentType: { startsWith: 'video/' } }],
} satisfies Prisma.MediaFileWhereInput;

/** What the object of a file shows besides its columns. */
export const withRelations = {
  _count: { select: { speakers: true } },
  grants: { select: { fileId: true } },
} as const;

/** The error for a recording that a retention rule deleted; the transcript remains. */
export function recordingRemoved(): AppError {
  return new AppError(
    'not_found',
    'recording_removed',
    'The recording was removed by a retention rule; the transcript remains.',
  );
}

/** Column values that reset an earlier run's state. */
export const resetColumns = {
  stage: null,
  stageDone: false,
  waitingFor: null,
  error: Prisma.DbNull,
  completedAt: null,
} as const;

/** Size and hash of an imported text, for a reader who sees all of it. */
export function withSourceFacts<F extends FileObject>(answer: F, file: FileRow, mask: Mask): F {
  if (mask.kinds.size > 0) return answer;
  return { ...answer, file_size: Number(file.fileSize), file_hash: file.fileHash };
}

/** The sound tracks, how the speakers were separated, and what the file says of itself. */
export function soundOf({
  mediaInfo,
  options,
}: FileRow): Pick<FileDetail, 'sound_tracks' | 'speakers_by' | 'file_tags' | 'sound_level'> {
  const {
    tracks = [],
    tags = {},
    sound = null,
  } = (mediaInfo ?? {}) as {
    tracks?: Omit<FileDetail['sound_tracks'][number], 'number'>[];
    tags?: Record<string, string>;
    sound?: FileDetail['sound_level'];
  };
  return {
    sound_tracks: tracks.map((track, i) => ({ ...track, number: i + 1 })),
    file_tags: { title: tags['title'] ?? null, artist: tags['artist'] ?? null },
    sound_level: sound,
    speakers_by: (options as Partial<RunOptions>).speakersBy ?? 'voice',
  };
}

export function toFileObject(
  { _count: { speakers }, grants, ...file }: Counted,
  permission: FileObject['my_permission'],
  { owner = null, editor = null }: FileNames = {},
): FileObject {
  return {
    uuid: file.id,
    filename: file.filename,
    title: file.title,
    user_id: file.userId,
    owner_name: owner,
    my_permission: permission,
    status: file.status as FileStatus,
    quarantine: isQuarantined(file)
      ? { reason: file.quarantineReason ?? '', since: file.quarantinedAt?.toISOString() ?? null }
      : null,
    display_status: displayStatus(file),
    ...stagesOf(file),
    waiting_for: file.waitingFor as FileObject['waiting_for'],
    content_type: file.contentType,
    // Of an imported text they would tell what is masked in it; see `withSourceFacts`.
    file_size: hasMedia(file) ? Number(file.fileSize) : null,
    file_hash: hasMedia(file) ? file.fileHash : null,
    // It may contain a key of its own, such as a signature.
    source_url: permission === 'owner' ? file.sourceUrl : null,
    duration: file.duration,
    language: file.language,
    upload_time: file.uploadTime.toISOString(),
    recorded_date: file.recordedDate?.toISOString() ?? null,
    completed_at: file.completedAt?.toISOString() ?? null,
    recording_removed_at: file.recordingRemovedAt?.toISOString() ?? null,
    has_media: hasMedia(file),
    has_video: file.contentType.startsWith('video/'),
    has_thumbnail: file.thumbnailKey !== null && !isQuarantined(file),
    has_waveform: file.waveformKey !== null && !isQuarantined(file),
    engine: file.engine as FileObject['engine'],
    diarization_provider: file.diarizationProvider,
    speaker_count: speakers,
    transcript_version: file.transcriptVersion,
    is_shared: grants.length > 0,
    last_edited_at: file.lastEditedAt?.toISOString() ?? null,
    last_edited_by: file.lastEditedBy,
    last_edited_by_name: editor,
    no_speech: file.noSpeech,
    warnings: file.warnings,
    error: file.error as FileProblem | null,
  };
}
