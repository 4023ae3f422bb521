import {
  defaultExportOptions,
  readExportFormat,
  readExportOptions,
  type ExportFormat,
  type ExportOptions,
} from '@overtone/contracts/export-formats';

/** What a person chose last in this browser. */
export type ExportChoice = { readonly format: ExportFormat; readonly options: ExportOptions };

/** The stored choice; what this version does not offer is replaced by its default. */
export function readExportChoice(stored: string | undefined): ExportChoice {
  const { format, options } = parse(stored);
  return { format: readExportFormat(format), options: readExportOptions(options) };
}

function parse(stored: string | undefined): { format?: unknown; options?: unknown } {
  try {
    const value: unknown = JSON.parse(stored ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

export function isSameChoice(one: ExportChoice, other: ExportChoice): boolean {
  const names = Object.keys(defaultExportOptions) as (keyof ExportOptions)[];
  return one.format === other.format && names.every((name) => one.options[name] === other.options[name]);
}
