import { z } from 'zod';
import { exportChoices, exportFormatNames, type ExportOptions } from './export-formats.ts';
import { line, pageOf, pageQuery, routesOf, time } from './http.ts';
import { collectionShareObject } from './media-collections.ts';
import { sharePermissions } from './media-objects.ts';
import { wordTemplateChoice } from './media-word-templates.ts';

const route = routesOf('media');

export const maxExportTemplates = 100;

const choice = {
  format: z.enum(exportFormatNames),
  options: z.strictObject({
    names: z.enum(exportChoices.names),
    times: z.enum(exportChoices.times),
    paragraphs: z.enum(exportChoices.paragraphs),
    masked: z.enum(exportChoices.masked),
    cues: z.enum(exportChoices.cues),
    heading: z.boolean(),
    participants: z.boolean(),
    summary: z.boolean(),
    comments: z.boolean(),
    uncertain: z.boolean(),
    line_numbers: z.boolean(),
    word_template: wordTemplateChoice,
  } satisfies Record<keyof ExportOptions, z.ZodType>),
};
const name = line(120).min(1);

/** A format with its options, under a name. */
export const exportTemplateObject = z.object({
  uuid: z.uuid(),
  name: z.string(),
  ...choice,
  user_id: z.uuid(),
  /** Name of the owner; null: the caller owns it, or identity does not respond. */
  owner_name: z.string().nullable(),
  /** The caller's permission; administrators have the owner's. Editors rename and change it. */
  my_permission: z.enum(['owner', ...sharePermissions]),
  /** Shared with groups or persons. */
  is_shared: z.boolean(),
  /** Everybody may use it. */
  for_everybody: z.boolean(),
  created_at: time,
  updated_at: time,
});
export type ExportTemplateObject = z.infer<typeof exportTemplateObject>;

export const exportTemplateRoutes = {
  listExportTemplates: route('GET', '/api/export-templates', 'user', {
    summary: "The caller's export templates and those shared with the caller or with everybody, by name",
    query: z.object(pageQuery),
    answer: pageOf(exportTemplateObject),
  }),
  createExportTemplate: route('POST', '/api/export-templates', 'user', {
    summary: 'Keep a format with its options under a name',
    body: z.strictObject({ name, ...choice }),
    answer: exportTemplateObject,
    status: 201,
    errors: ['export_template_exists', 'export_templates_full'],
  }),
  updateExportTemplate: route('PUT', '/api/export-templates/{uuid}', 'user', {
    summary:
      'Rename or change an export template (its owner, editors and administrators), or offer it to everybody (its owner and administrators)',
    body: z.strictObject({ name, ...choice, for_everybody: z.boolean() }).partial(),
    answer: exportTemplateObject,
    errors: ['permission_required', 'export_template_exists'],
  }),
  deleteExportTemplate: route('DELETE', '/api/export-templates/{uuid}', 'user', {
    summary: 'Delete an export template (its owner and administrators)',
    errors: ['permission_required'],
  }),
  exportTemplateShares: route('GET', '/api/export-templates/{uuid}/shares', 'user', {
    summary: 'The shares of an export template (its owner and administrators)',
    answer: z.array(collectionShareObject),
    errors: ['permission_required'],
  }),
  shareExportTemplate: route('POST', '/api/export-templates/{uuid}/shares', 'user', {
    summary:
      'Share an export template with a group or a person, or change what they may do (its owner and administrators)',
    body: z.strictObject({
      target_type: z.enum(['group', 'user']),
      target_uuid: z.uuid(),
      permission: z.enum(sharePermissions).default('viewer'),
    }),
    answer: collectionShareObject,
    status: 201,
    errors: ['permission_required'],
  }),
  unshareExportTemplate: route('DELETE', '/api/export-templates/{uuid}/shares/{share_uuid}', 'user', {
    summary: 'Remove a share of an export template (its owner and administrators)',
    errors: ['permission_required'],
  }),
};
