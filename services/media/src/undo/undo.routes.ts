import { mediaRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import type { UndoService } from './undo.service.ts';

export function undoRoutes({ undo }: { undo: UndoService }): Route[] {
  return [handle(mediaRoutes.undoChange, ({ caller, params }) => undo.undo(caller, params.uuid, params.undo_uuid))];
}
