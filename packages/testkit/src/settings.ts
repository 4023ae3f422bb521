type Item = { key: string; value: unknown; default_value: unknown; source: string; is_set: boolean };

/** The settings by key that a route of a group has answered. */
export function settingsByKey(body: unknown): Record<string, Item> {
  const { settings } = body as { settings: Item[] };
  return Object.fromEntries(settings.map((item) => [item.key, item]));
}
