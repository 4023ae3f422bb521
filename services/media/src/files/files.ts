import type { FileObject, FileStatus, Stage } from '@overtone/contracts';
import type { MediaFile } from '../generated/client.ts';

export type FileRow = MediaFile;
export type FileProblem = NonNullable<FileObject['error']>;
type Counted = FileRow & { _count: { speakers: number } };

/** Objects of a file: the recording, and what the stages made of it. */
export const originalKey = (id: string): string => `files/${id}/original`;
export const objectPrefixes = (id: string): string[] => [`files/${id}/`, `derived/${id}/`];

const stageWords: Record<Stage, string> = {
  prepare: 'Preparing the recording',
  transcribe: 'Transcribing',
  diarize: 'Telling the speakers apart',
  assemble: 'Putting the transcript together',
  index: 'Making it searchable',
};
const statusWords: Record<FileStatus, string> = {
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
const waitingWords = {
  engine: 'Waiting for a speech engine',
  worker: 'Waiting for a worker',
  paused: 'Paused by an administrator',
};

/** Nothing is being done with the file and nothing will be by itself. */
export const isSettled = (status: string): boolean => ['completed', 'error', 'cancelled'].includes(status);

export const displayStatus = (file: Pick<FileRow, 'status' | 'stage' | 'waitingFor'>): string => {
  const status = file.status as FileStatus;
  if (isSettled(status) || status === 'cancelling') return statusWords[status];
  if (file.waitingFor) return waitingWords[file.waitingFor as keyof typeof waitingWords];
  return file.stage ? stageWords[file.stage as Stage] : statusWords[status];
};

export const withSpeakerCount = { _count: { select: { speakers: true } } } as const;

/** The file as a client sees it who may do this with it. */
export const toFileObject = (
  { _count: { speakers }, ...file }: Counted,
  permission: FileObject['my_permission'],
): FileObject => ({
  uuid: file.id,
  filename: file.filename,
  title: file.title,
  user_id: file.userId,
  my_permission: permission,
  status: file.status as FileStatus,
  display_status: displayStatus(file),
  stage: file.stage as Stage | null,
  waiting_for: file.waitingFor as FileObject['waiting_for'],
  content_type: file.contentType,
  file_size: Number(file.fileSize),
  file_hash: file.fileHash,
  duration: file.duration,
  language: file.language,
  upload_time: file.uploadTime.toISOString(),
  recorded_date: file.recordedDate?.toISOString() ?? null,
  completed_at: file.completedAt?.toISOString() ?? null,
  has_video: file.contentType.startsWith('video/'),
  has_thumbnail: file.thumbnailKey !== null,
  has_waveform: file.waveformKey !== null,
  engine: file.engine as FileObject['engine'],
  diarization_provider: file.diarizationProvider,
  speaker_count: speakers,
  transcript_version: file.transcriptVersion,
  warnings: file.warnings,
  error: file.error as FileProblem | null,
});
