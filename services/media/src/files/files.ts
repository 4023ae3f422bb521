import { roleAtLeast, type FileObject, type FileStatus, type Stage } from '@overtone/contracts';
import { notFound, type AppError, type Caller } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { MediaFile } from '../generated/client.ts';

export type FileRow = MediaFile;
export type FileProblem = NonNullable<FileObject['error']>;
type Counted = FileRow & { _count: { speakers: number } };

/** Unknown and somebody else's look the same. */
export const noSuchFile = (): AppError => notFound('There is no such file.');

/** The one rule of who may see and change a file: its owner, and administrators. */
export const mayUse = (caller: Pick<Caller, 'userId' | 'role'>, file: Pick<FileRow, 'userId'>): boolean =>
  file.userId === caller.userId || roleAtLeast(caller.role, 'admin');

/** The file, for somebody who may use it. @throws AppError not_found otherwise. */
export const usableFile = async (db: Db | Tx, caller: Caller, id: string): Promise<FileRow> => {
  const file = await db.mediaFile.findUnique({ where: { id } });
  if (!file || !mayUse(caller, file)) throw noSuchFile();
  return file;
};

/** The same, and nobody else changes the file or its transcript until the transaction ends. */
export const lockedFile = async (tx: Tx, caller: Caller, id: string): Promise<FileRow> => {
  await tx.$queryRaw`select 1 from media_file where uuid = ${id}::uuid for update`;
  return usableFile(tx, caller, id);
};

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
const waitingWords = { engine: 'Waiting for a speech engine', worker: 'Waiting for a worker' };

/** Nothing is being done with the file and nothing will be by itself. */
export const isSettled = (status: string): boolean => ['completed', 'error', 'cancelled'].includes(status);

export const displayStatus = (file: Pick<FileRow, 'status' | 'stage' | 'waitingFor'>): string => {
  const status = file.status as FileStatus;
  if (isSettled(status) || status === 'cancelling') return statusWords[status];
  if (file.waitingFor) return waitingWords[file.waitingFor as keyof typeof waitingWords];
  return file.stage ? stageWords[file.stage as Stage] : statusWords[status];
};

export const withSpeakerCount = { _count: { select: { speakers: true } } } as const;

/** The file as clients see it. */
export const toFileObject = ({ _count: { speakers }, ...file }: Counted): FileObject => ({
  uuid: file.id,
  filename: file.filename,
  title: file.title,
  user_id: file.userId,
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
