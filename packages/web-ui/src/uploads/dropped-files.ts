export type DroppedFiles = {
  readonly files: readonly File[];
  /** Files in folders that are neither audio nor video. */
  readonly skipped: number;
  /** Names of files and folders that could not be read. */
  readonly unreadable: readonly string[];
};

type Entry = FileSystemEntry;

/** The dropped files and folders. The browser provides the entries only until the drop event ends. */
export function entriesOf(transfer: DataTransfer): { files: readonly File[]; folders: readonly Entry[] } {
  const files: File[] = [];
  const folders: Entry[] = [];
  for (const item of transfer.items) {
    const entry = item.webkitGetAsEntry();
    const file = item.getAsFile();
    if (entry?.isDirectory) folders.push(entry);
    else if (file) files.push(file);
  }
  return { files, folders };
}

/** Reads folders recursively and keeps only recordings, because folders often contain other files. */
export async function readFolders(folders: readonly Entry[]): Promise<DroppedFiles> {
  const files: File[] = [];
  const unreadable: string[] = [];
  let skipped = 0;
  async function read(entry: Entry): Promise<void> {
    try {
      if (entry.isDirectory) {
        const children = await childrenOf(entry as FileSystemDirectoryEntry);
        for (const child of children) await read(child);
      } else if (!entry.name.startsWith('.')) {
        const file = await fileOf(entry as FileSystemFileEntry);
        if (isRecording(file)) files.push(file);
        else skipped += 1;
      }
    } catch {
      unreadable.push(entry.name);
    }
  }
  for (const folder of folders) await read(folder);
  return { files, skipped, unreadable };
}

/** `readEntries` returns a part (100 in Chromium) and must be called until it returns none. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<Entry[]> {
  const reader = folder.createReader();
  const all: Entry[] = [];
  for (;;) {
    const part = await new Promise<Entry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return all.sort((x, y) => x.name.localeCompare(y.name, undefined, { numeric: true }));
    all.push(...part);
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

function isRecording({ type, name }: File): boolean {
  if (type !== '') return /^(audio|video)\/|^application\/(ogg|mxf)$/.test(type);
  // Not every operating system knows the type of these.
  return /\.(mkv|mka|opus|oga|m4a|m4b|flac|amr|wma|wmv|mts|m2ts|aif|aiff|caf)$/i.test(name);
}
