import type { FileObject } from '@overtone/contracts';
import { forbidden, notFound, type AppError } from '@overtone/service-kit';

/** Actions on a file: read, edit its transcript, or own it (delete, share, reprocess). */
export type Action = 'read' | 'edit' | 'own';
export type Permission = FileObject['my_permission'];

const permitting: Record<Action, readonly Permission[]> = {
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

export function notAllowed(action: Action): AppError {
  return forbidden(
    'permission_required',
    action === 'edit'
      ? 'This file was shared with you for reading only.'
      : 'Only the owner of this file and administrators may do this.',
  );
}
