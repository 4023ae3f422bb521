import {
  defaultExportOptions,
  exportChoices,
  exportFlags,
  exportFormatNames,
  type ExportFormat,
  type ExportOptions,
} from '@overtone/contracts/export-formats';

/** What a person chose last in this browser. */
export type ExportChoice = { readonly format: ExportFormat; readonly options: ExportOptions };

/** The stored choice; what this version does not offer is replaced by its default. */
export function readExportChoice(stored: string | undefined): ExportChoice {
  const { format, options } = parse(stored);
  const chosen = typeof options === 'object' && options !== null ? (options as Record<string, unknown>) : {};
  const entries = Object.entries(defaultExportOptions).map(([name, usual]) => {
    const value = chosen[name];
    return [name, isOffered(name, value) ? value : usual] as const;
  });
  return {
    format: exportFormatNames.find((name) => name === format) ?? exportFormatNames[0],
    options: Object.fromEntries(entries) as ExportOptions,
  };
}

function parse(stored: string | undefined): { format?: unknown; options?: unknown } {
  try {
    const value: unknown = JSON.parse(stored ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function isOffered(name: string, value: unknown): boolean {
  if (name in exportFlags) return typeof value === 'boolean';
  return (exportChoices as Record<string, readonly unknown[]>)[name]?.includes(value) ?? false;
}
