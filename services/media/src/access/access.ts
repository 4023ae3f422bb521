import type { FileObject } from '@overtone/contracts';
import { forbidden, notFound, type AppError } from '@overtone/service-kit';

/** Actions on a file: see its name and status, read, edit its transcript, or own it (delete, share, reprocess). */
export type Action = 'see' | 'read' | 'edit' | 'own';
export type Permission = FileObject['my_permission'];

const permitting: Record<Action, readonly Permission[]> = {
  see: ['viewer', 'editor', 'owner'],
  read: ['viewer', 'editor', 'owner'],
  edit: ['editor', 'owner'],
  own: ['owner'],
};

export function permits(permission: Permission | undefined, action: Action): boolean {
  return permission !== undefined && permitting[action].includes(permission);
}

/** The same error for an unknown file and for one the caller may not see. */
export function noSuchFile(): AppError {
  return notFound('There is no such file.');
}

/** A file that only administrators may open. */
export function isQuarantined({ status }: { status: string }): boolean {
  return status === 'quarantined';
}

export function inQuarantine(): AppError {
  return forbidden('file_quarantined', 'This file is in quarantine. An administrator can release it.');
}

export function notAllowed(action: Action): AppError {
  return forbidden(
    'permission_required',
    action === 'edit'
      ? 'This file was shared with you for reading only.'
      : 'Only the owner of this file and administrators may do this.',
  );
}
