import { recordingErrors } from '@overtone/object-store/inspection';
import { invalid, unavailable, type AppError } from '@overtone/service-kit/errors';

type More = { cause?: unknown; detail?: string };

/** Why a recording could not be downloaded. `unavailable` is attempted again. */
export const downloadFailures = {
  ...recordingErrors,
  refused: (status: number): AppError =>
    invalid('source_refused', `The server does not hand out this recording (status ${status}).`),
  unreachable: (more: More = {}): AppError =>
    unavailable('source_unreachable', 'The server cannot be reached, or reports an error.', more),
  tooManyRedirects: (): AppError => invalid('source_refused', 'The address is forwarded too often.'),
  incomplete: (more: More = {}): AppError =>
    unavailable('source_incomplete', 'The connection was interrupted before the recording was complete.', more),
  changed: (): AppError => unavailable('source_incomplete', 'The recording was changed while it was downloaded.'),
  tooSlow: (): AppError => unavailable('source_incomplete', 'The server sends too slowly.'),
  toolMissing: (): AppError =>
    invalid(
      'page_tool_missing',
      'This is a page and not a media file. Importing from pages needs yt-dlp, which is not installed.',
    ),
  noMedia: (more: More = {}): AppError =>
    invalid('page_without_media', 'No recording that can be downloaded was found on this page.', more),
};
