import type { ExportTemplateObject } from '@overtone/contracts';
import { readExportFormat, readExportOptions } from '@overtone/contracts/export-formats';
import { conflict, forbidden, notFound, type AppError } from '@overtone/service-kit';
import type { Action, Permission } from '../access/access.ts';
import type { ExportTemplate } from '../generated/client.ts';

/** What of a template depends on the caller. */
export type TemplateFacts = {
  permission: Permission;
  /** null: the caller is the owner, or identity does not respond. */
  ownerName: string | null;
  isShared: boolean;
};

export function toTemplateObject(
  template: ExportTemplate,
  { permission, ownerName, isShared }: TemplateFacts,
): ExportTemplateObject {
  return {
    uuid: template.id,
    name: template.name,
    format: readExportFormat(template.format),
    options: readExportOptions(template.options),
    user_id: template.userId,
    owner_name: ownerName,
    my_permission: permission,
    is_shared: isShared,
    for_everybody: template.forEverybody,
    created_at: template.createdAt.toISOString(),
    updated_at: template.updatedAt.toISOString(),
  };
}

/** The same error for an unknown template and for one the caller may not see. */
export function noSuchTemplate(): AppError {
  return notFound('There is no such export template.');
}

export function templateNotAllowed(action: Action): AppError {
  return forbidden(
    'permission_required',
    action === 'edit'
      ? 'You can use this export template, but not change it.'
      : 'Only the owner of this export template and administrators may do this.',
  );
}

export function templateExists(name: string, options?: ErrorOptions): AppError {
  return conflict('export_template_exists', `There is an export template named “${name}” already.`, options);
}
